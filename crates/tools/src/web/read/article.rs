//! Extraction of a page's article, by its markup (`main`, `article`, roles) and by the density of
//! links. In doubt it keeps more, because a claim is judged by this text and a lost paragraph is a
//! false "no".

use super::tree::{Node, Tree};

/// The article of a page: a node, without some of its descendants.
#[derive(Debug)]
pub struct Article {
    /// The node that holds it.
    pub root: usize,
    /// For each node, whether it is left out.
    pub left_out: Vec<bool>,
}

/// How much text a node holds, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mass {
    /// All that is visible.
    pub text: usize,
    /// The part that is links.
    pub linked: usize,
    /// The number of links.
    pub links: usize,
    /// The part that stands in blocks of running text, outside links.
    pub prose: usize,
}

impl Mass {
    fn unlinked(self) -> usize {
        self.text - self.linked
    }

    /// The share of the text that is links, 0 to 1.
    pub fn link_share(self) -> f64 {
        if self.text == 0 {
            0.0
        } else {
            self.linked as f64 / self.text as f64
        }
    }
}

/// Least characters of an element that the page marks as its article.
const TRUSTED: usize = 250;
/// Characters up to which a box about cookies is one.
const COOKIE_BOX: usize = 1_500;
/// A menu has at least this many links …
const MENU_LINKS: usize = 5;
/// … which are at least this share of its text …
const MENU_SHARE: f64 = 0.75;
/// … and have at most this many characters on average.
const MENU_LINK: usize = 45;

/// Letters from which on a block is running text.
const SENTENCE: usize = 80;
/// Per cent of the running text that a box must hold to be the article …
const NEARLY_ALL: usize = 90;
/// … and per cent of all text outside links.
const MOST: usize = 60;

/// Finds the article.
pub fn find(tree: &Tree) -> Article {
    let headings: Vec<usize> = tree.elements("h1").map(|(at, _)| at).collect();
    let mut left_out = mark(tree, |at, inside| is_furniture(tree, at, inside, &headings));
    let all = masses(tree, &left_out);
    let total = all[0].text;
    let boxes = mark(tree, |at, _| is_cookie_box(&tree.nodes[at], all[at], total));
    add(&mut left_out, &boxes);
    let masses_left = masses(tree, &left_out);
    let root = narrowed(tree, &masses_left, root(tree, &masses_left));
    let menus = mark(tree, |at, _| {
        at > root && at <= tree.nodes[root].end && is_menu(&tree.nodes[at], masses_left[at])
    });
    let mut without = left_out.clone();
    add(&mut without, &menus);
    // A page that is a list of links is read as one.
    let keeps_most = masses(tree, &without)[root].text * 2 >= masses_left[root].text;
    Article {
        root,
        left_out: if keeps_most { without } else { left_out },
    }
}

/// The mass of each node, without what is left out.
pub fn masses(tree: &Tree, left_out: &[bool]) -> Vec<Mass> {
    let mut masses = vec![Mass::default(); tree.nodes.len()];
    add_prose(tree, left_out, &mut masses);
    // Backwards: children come after their parent, so that each is complete when it is added.
    for (at, node) in tree.nodes.iter().enumerate().skip(1).rev() {
        if left_out[at] {
            masses[at] = Mass::default();
            continue;
        }
        let mut own = masses[at];
        if node.visibility.is_visible() {
            own.text += node.text().chars().filter(|c| !c.is_whitespace()).count();
        }
        if node.name() == "a" && node.attribute("href").is_some() {
            own = Mass {
                linked: own.text,
                links: 1,
                ..own
            };
        }
        masses[at] = own;
        let parent = &mut masses[node.parent];
        parent.text += own.text;
        parent.linked += own.linked;
        parent.links += own.links;
        parent.prose += own.prose;
    }
    masses
}

/// Gives each block its own prose: the text outside links that is not in a block inside it, if it
/// is a sentence or more.
fn add_prose(tree: &Tree, left_out: &[bool], masses: &mut [Mass]) {
    let mut block_of = vec![0; tree.nodes.len()];
    let mut linked = vec![false; tree.nodes.len()];
    let mut own = vec![0; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        block_of[at] = if node.is_block {
            at
        } else {
            block_of[node.parent]
        };
        linked[at] = linked[node.parent] || node.name() == "a";
        if node.visibility.is_visible() && !linked[at] && !left_out[at] {
            own[block_of[at]] += node.text().chars().map(weight).sum::<usize>();
        }
    }
    for (mass, own) in masses
        .iter_mut()
        .zip(own)
        .filter(|(_, own)| *own >= SENTENCE)
    {
        mass.prose = own;
    }
}

/// A Han character or its like says as much as two letters or three.
fn weight(c: char) -> usize {
    match c {
        _ if c.is_whitespace() => 0,
        '\u{2e80}'.. => 2,
        _ => 1,
    }
}

/// Marks the nodes for which `is` holds, and all inside them. `is` is told whether the node is
/// inside an article.
fn mark(tree: &Tree, is: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut marked = vec![false; tree.nodes.len()];
    let mut inside = vec![false; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        inside[at] = inside[node.parent] || is_article(node);
        marked[at] = marked[node.parent] || is(at, inside[node.parent]);
    }
    marked
}

fn add(marked: &mut [bool], more: &[bool]) {
    for (mark, more) in marked.iter_mut().zip(more) {
        *mark |= more;
    }
}

fn is_article(node: &Node) -> bool {
    matches!(node.name(), "main" | "article")
        || matches!(node.attribute("role"), Some("main" | "article"))
}

/// What surrounds an article on every page of a site.
fn is_furniture(tree: &Tree, at: usize, inside_article: bool, headings: &[usize]) -> bool {
    let node = &tree.nodes[at];
    let has_heading = || {
        headings
            .get(headings.partition_point(|h1| *h1 < at))
            .is_some_and(|h1| *h1 <= node.end)
    };
    if matches!(
        node.attribute("role"),
        Some("navigation" | "search" | "dialog" | "alertdialog" | "menu" | "menubar")
    ) {
        return true;
    }
    match node.name() {
        "nav" | "footer" | "menu" | "search" => true,
        // Accordions put their headings into buttons.
        "button" => !matches!(
            tree.nodes[node.parent].name(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "summary"
        ),
        "aside" => !inside_article,
        // A header with the page's main heading is the article's own beginning.
        "header" => !inside_article && !has_heading(),
        _ => {
            !inside_article
                && matches!(
                    node.attribute("role"),
                    Some("banner" | "contentinfo" | "complementary")
                )
        }
    }
}

fn is_cookie_box(node: &Node, mass: Mass, total: usize) -> bool {
    let named = |key| {
        let value = node.attribute(key).unwrap_or_default().to_ascii_lowercase();
        ["cookie", "consent", "gdpr", "onetrust"]
            .iter()
            .any(|word| value.contains(word))
    };
    node.is_block
        && mass.text <= COOKIE_BOX
        && mass.text * 2 < total
        && (named("id") || named("class"))
}

fn is_menu(node: &Node, mass: Mass) -> bool {
    let holds_menus = matches!(
        node.name(),
        "ul" | "ol" | "div" | "table" | "section" | "aside" | "p" | "dl" | "form"
    );
    holds_menus
        && mass.links >= MENU_LINKS
        && mass.link_share() >= MENU_SHARE
        && mass.linked <= mass.links * MENU_LINK
}

/// The page's `main`, else its one article, else all of it.
fn root(tree: &Tree, masses: &[Mass]) -> usize {
    let named =
        |node: &Node, name: &str| node.name() == name || node.attribute("role") == Some(name);
    let is_body =
        |node: &Node| node.attribute("itemprop") == Some("articleBody") || named(node, "article");
    let main = heaviest(tree, masses, |node| named(node, "main"));
    let article =
        heaviest(tree, masses, is_body).filter(|&at| masses[at].text * 2 >= masses[0].text);
    main.filter(|&at| masses[at].text * 4 >= masses[0].text)
        .or(article)
        .unwrap_or(0)
}

/// The node of a kind with the most text, the first of equals; none with too little text.
fn heaviest(tree: &Tree, masses: &[Mass], is: impl Fn(&Node) -> bool) -> Option<usize> {
    let found = tree
        .nodes
        .iter()
        .enumerate()
        .filter(|(at, node)| is(node) && masses[*at].text >= TRUSTED);
    found
        .max_by_key(|(at, _)| (masses[*at].text, std::cmp::Reverse(*at)))
        .map(|(at, _)| at)
}

/// The smallest box inside `root` that holds nearly all running text, unless much else is outside
/// it: tables, lists, code.
fn narrowed(tree: &Tree, masses: &[Mass], root: usize) -> usize {
    let (whole, mut at) = (masses[root], root);
    let is_box = |node: &Node| {
        !matches!(
            node.name(),
            "p" | "ul" | "ol" | "li" | "dl" | "blockquote" | "pre" | "a" | "span"
        )
    };
    let holds = |mass: Mass| {
        mass.prose * 100 >= whole.prose * NEARLY_ALL
            && mass.unlinked() * 100 >= whole.unlinked() * MOST
            && mass.prose >= TRUSTED
    };
    for (inner, node) in tree
        .nodes
        .iter()
        .enumerate()
        .take(tree.nodes[root].end + 1)
        .skip(root + 1)
    {
        if node.parent == at && is_box(node) && holds(masses[inner]) {
            at = inner;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{super::tree::parse, *};

    /// The visible text of the article.
    fn check(html: &str, expect: &str) {
        let tree = parse(html);
        let article = find(&tree);
        let inside = article.root..=tree.nodes[article.root].end;
        let kept =
            inside.filter(|&at| !article.left_out[at] && tree.nodes[at].visibility.is_visible());
        let text: Vec<&str> = kept
            .map(|at| tree.nodes[at].text().trim())
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(text.join("|"), expect);
    }

    const LONG: &str = "Soil moisture was measured every hour for two years in three fields, and the sensors were calibrated \
        against the weight of dried samples; the differences between the fields were larger than those between the \
        sensors, which is why a single calibration does not serve for all of them, whatever the maker says.";

    #[test]
    fn furniture_is_left_out() {
        let furniture = "<nav>n</nav><header>h</header><aside>a</aside><footer>f</footer><div role=search>s</div>";
        check(&format!("<body>{furniture}<p>text</p>"), "text");
        check(
            "<header><h1>Title</h1></header><button>Share</button><h2><button>Question</button></h2>",
            "Title|Question",
        );
    }

    #[test]
    fn a_page_s_own_word_for_its_article_is_taken() {
        check(
            &format!("<div>menu</div><main><aside>note</aside><p>{LONG}</main>more"),
            &format!("note|{LONG}"),
        );
        check(
            &format!("<div>menu</div><article>{LONG}</article>more"),
            LONG,
        );
        check("<div>menu</div><main>short</main>more", "menu|short|more");
        let three = format!("<article>{LONG}</article>").repeat(3);
        check(&three, &[LONG; 3].join("|"));
    }

    #[test]
    fn menus_are_left_out_unless_they_are_the_page() {
        let menu = format!("<ul>{}</ul>", "<li><a href=x>entry of it</a>".repeat(6));
        check(&format!("{menu}<p>{LONG}"), LONG);
        check(
            &format!("{menu}<p>short"),
            &format!("{}|short", ["entry of it"; 6].join("|")),
        );
    }

    #[test]
    fn the_smallest_box_with_nearly_all_prose_is_the_article() {
        let box_of = |inner: &str, beside: &str| {
            format!("<body><div><div><h2>Head</h2><p>{inner}</div><div>{beside}</div></div>")
        };
        check(
            &box_of(LONG, "Latest: a frost, a flood"),
            &format!("Head|{LONG}"),
        );
        let table = format!("<table><tr><td>{}</table>", "0.021 0.031 0.044 ".repeat(60));
        check(
            &box_of(LONG, &table),
            &format!("Head|{LONG}|{}", "0.021 0.031 0.044 ".repeat(60).trim()),
        );
    }

    #[test]
    fn boxes_about_cookies_are_left_out() {
        check(
            &format!("<div class='Cookie-banner'>We use cookies</div><p>{LONG}"),
            LONG,
        );
        check(
            "<div class='cookie-recipe'>Bake for ten minutes</div>",
            "Bake for ten minutes",
        );
    }

    #[test]
    fn what_is_hidden_weighs_nothing() {
        let tree = parse("<p hidden>abc</p><a href=x>de</a>f");
        let mass = masses(&tree, &vec![false; tree.nodes.len()])[0];
        assert_eq!(
            mass,
            Mass {
                text: 3,
                linked: 2,
                links: 1,
                prose: 0
            }
        );
        assert!((mass.link_share() - 2.0 / 3.0).abs() < 1e-12);
    }
}
