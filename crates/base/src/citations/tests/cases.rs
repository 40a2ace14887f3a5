//! Marks in the text, one notation after the other, in English and Chinese.

use super::*;

const ONE: &str = "numbered 1 #0 https://a.org/1";
const TWO: &str = "numbered 2 #1 https://b.org/2";

#[test]
fn markdown_links() {
    check(
        "It blew [hard](https://a.org/x).",
        &["link hard https://a.org/x"],
    );
    check(
        "[a](https://a.org/x \"A title\")",
        &["link a https://a.org/x"],
    );
    check(
        "[a](https://a.org/x 'A (b) title') b",
        &["link a https://a.org/x"],
    );
    check(
        "[Foo](https://en.wikipedia.org/wiki/Foo_(bar))",
        &["link Foo https://en.wikipedia.org/wiki/Foo_(bar)"],
    );
    check(
        "([Foo](https://a.org/x_(y)_(z)))",
        &["link Foo https://a.org/x_(y)_(z)"],
    );
    check("[a](<https://a.org/x y>)", &["link a https://a.org/x%20y"]);
    check(
        "[a](https://a.org/my report.pdf)",
        &["link a https://a.org/my%20report.pdf"],
    );
    check(
        "[a](https://a.org/x)[b](https://b.org/y)",
        &["link a https://a.org/x", "link b https://b.org/y"],
    );
    check(
        "[a [b] c](https://a.org/x)",
        &["link a [b] c https://a.org/x"],
    );
    check("[see [b](https://a.org/x)", &["link b https://a.org/x"]);
    check("[a\nb](https://a.org/x)", &["link a\nb https://a.org/x"]);
    check(
        "[`code`](https://a.org/x)",
        &["link `code` https://a.org/x"],
    );
    check("| [a](https://a.org/x) | b |", &["link a https://a.org/x"]);
    check(
        "[风](https://zh.wikipedia.org/wiki/风)很大",
        &["link 风 https://zh.wikipedia.org/wiki/%E9%A3%8E"],
    );
    check("[风]（https://a.org/x）。", &["link 风 https://a.org/x"]);
    check("**[a](https://a.org/x)**", &["link a https://a.org/x"]);
    check("[](https://a.org/x)", &["link https://a.org/x"]);
    check(r"[a](https://a.org/x\_y)", &["link a https://a.org/x_y"]);
    check(
        "[https://a.org/x](https://a.org/x)",
        &["link https://a.org/x https://a.org/x"],
    );
    check(
        "[a](a.org/x) [b](www.b.org)",
        &["link a https://a.org/x", "link b https://www.b.org/"],
    );
}

#[test]
fn numbered_links() {
    check("Hard [1](https://a.org/x).", &["link 1 https://a.org/x"]);
    check("Hard [[1]](https://a.org/x).", &["link 1 https://a.org/x"]);
    check(
        r"Hard [\[1\]](https://a.org/x).",
        &["link 1 https://a.org/x"],
    );
    check(
        "Hard <sup>[1](https://a.org/x)</sup>.",
        &["link 1 https://a.org/x"],
    );
    check(
        "很大[【1】](https://a.org/x)。",
        &["link 1 https://a.org/x"],
    );
    check_listed("Hard [1](https://a.org/1).", &["link 1 #0 https://a.org/1"]);
    check_listed("Hard [1](https://c.org/3).", &["link 1 #0 https://c.org/3"]);
    check_listed("Hard [1](#ref-1), [[2]](#ref-2).", &[ONE, TWO]);
    check_listed("Hard [1](see below).", &[ONE]);
}

#[test]
fn reference_links() {
    check(
        "[hard][1]\n\n[1]: https://a.org/x",
        &["link hard #0 https://a.org/x"],
    );
    check(
        "[hard][w] and [soft][W]\n\n[w]: <https://a.org/x> 'Title'",
        &[
            "link hard #0 https://a.org/x",
            "link soft #0 https://a.org/x",
        ],
    );
    check(
        "[hard][]\n\n[Hard]: https://a.org/x",
        &["link hard #0 https://a.org/x"],
    );
    check(
        "[hard]\n\n[hard]: https://a.org/x",
        &["link hard #0 https://a.org/x"],
    );
    check(
        "Hard [1].\n\n[1]: https://a.org/x",
        &["numbered 1 #0 https://a.org/x"],
    );
    check(
        "Hard [1].\n\n[1]: Winds of Ash. https://a.org/x",
        &["numbered 1 #0 https://a.org/x"],
    );
    check(
        "[风大][注]\n\n[注]: https://a.org/x",
        &["link 风大 #0 https://a.org/x"],
    );
    check_listed("[hard][1]", &["link hard #0 https://a.org/1"]);
    check_listed("[hard][7]", &[]);
    check_listed("[hard][7] and [1]", &["numbered 7 dangling_number", ONE]);
}

#[test]
fn numbers() {
    check_listed("Hard [1].", &[ONE]);
    check_listed("Hard [1, 2].", &[ONE, TWO]);
    check_listed("Hard [1-2].", &[ONE, TWO]);
    check_listed("Hard [1]–[2].", &[ONE, TWO]);
    check_listed("Hard [1][2].", &[ONE, TWO]);
    check_listed("Hard [1; 2, p. 7].", &[ONE, TWO]);
    check_listed("Hard[1].", &[ONE]);
    check_listed(r"Hard \[1\].", &[ONE]);
    check_listed("很大【1】。", &[ONE]);
    check_listed("很大【1】【2】。", &[ONE, TWO]);
    check_listed("很大【1、2】。", &[ONE, TWO]);
    check_listed("很大［1］。", &[ONE]);
    check_listed("很大[来源1]，[citation:2]。", &[ONE, TWO]);
    check_listed("Hard【1†source】【2†L10-L12】.", &[ONE, TWO]);
    check_listed("Hard 【1:0†report.pdf】.", &[ONE]);
    check_listed("Hard<sup>1</sup>.", &[ONE]);
    check_listed("Hard<sup>1,2</sup>.", &[ONE, TWO]);
    check_listed("Hard<sup>[1]</sup>.", &[ONE]);
    check_listed("Hard^1^.", &[ONE]);
    check_listed("Hard.¹", &[ONE]);
    check_listed("Hard.¹²", &[ONE, TWO]);
    check_listed("很大²。", &[TWO]);
    check_listed("> Hard [1].", &[ONE]);
}

#[test]
fn numbers_that_cite_nothing() {
    check("Take a[1] and go on.", &[]);
    check("In [2020] it rained.", &[]);
    check("Take a[0], then b[0].", &[]);
    check("for x in [0, 1] and y² or 10³ m²", &[]);
    check("- [x] done\n- [ ] not", &[]);
    check(
        "Hard [1], soft [2].",
        &["numbered 1 dangling_number", "numbered 2 dangling_number"],
    );
    check_listed("Hard [1], soft [3].", &[ONE, "numbered 3 dangling_number"]);
    check_listed(
        "Hard [1], in [2020].",
        &[ONE, "numbered 2020 dangling_number"],
    );
    check_listed("Hard [1, 3].", &[ONE, "numbered 3 dangling_number"]);
    check_listed("x in [0, 1], 5 km², 3 × 10², x<sup>2</sup>", &[]);
    check_listed("Hard.⁷", &[]);
    check_listed("Hard.¹ Soft.⁷", &[ONE, "numbered 7 dangling_number"]);
}

#[test]
fn footnotes() {
    check(
        "Hard[^1].\n\n[^1]: Winds. https://a.org/x",
        &["footnote 1 #0 https://a.org/x"],
    );
    check(
        "很大[^风]。\n\n[^风]: 《风》，https://a.org/x。",
        &["footnote 风 #0 https://a.org/x"],
    );
    check(
        "Hard[^a][^b].\n\n[^a]: https://a.org/x\n[^b]: [Sails](https://b.org/y)",
        &[
            "footnote a #0 https://a.org/x",
            "footnote b #1 https://b.org/y",
        ],
    );
    check(
        "Hard[^1].\n\n[^1]: Winds,\n    second edition.\n    https://a.org/x",
        &["footnote 1 #0 https://a.org/x"],
    );
    check(
        "Hard[^1].\n\n[^1]: Said at dinner.",
        &["footnote 1 #0 no_url"],
    );
    check(
        "Hard[^1], soft[^2].\n\n[^1]: https://a.org/x",
        &[
            "footnote 1 #0 https://a.org/x",
            "footnote 2 dangling_number",
        ],
    );
    check(
        "Hard[^1].\n\n[^1]: Winds. [↩](#fnref1)",
        &["footnote 1 #0 no_url"],
    );
    check("The pattern [^a-z] fits.", &[]);
    check(
        "Hard [^1^][1].\n\n[1]: https://a.org/x",
        &["footnote 1 #0 https://a.org/x"],
    );
    check_listed(
        "Hard[^1], soft[^2^].",
        &[
            "footnote 1 #0 https://a.org/1",
            "footnote 2 #1 https://b.org/2",
        ],
    );
}

#[test]
fn authors_and_years() {
    let (ash, birch) = ("#0 https://a.org/1", "#1 https://b.org/2");
    check_listed(
        "Hard (Ash, 2019).",
        &[&format!("author_year Ash 2019 {ash}")],
    );
    check_listed(
        "Hard (Ash 2019, p. 7).",
        &[&format!("author_year Ash 2019 {ash}")],
    );
    check_listed(
        "Hard (see Ash, 2019; Birch, 2021).",
        &[
            &format!("author_year Ash 2019 {ash}"),
            &format!("author_year Birch 2021 {birch}"),
        ],
    );
    check_listed(
        "Ash (2019) says so.",
        &[&format!("author_year Ash 2019 {ash}")],
    );
    check_listed(
        "Hard [Ash, 2019].",
        &[&format!("author_year Ash 2019 {ash}")],
    );
    check_listed(
        "Ash et al. (2019) say so.",
        &[&format!("author_year Ash et al. 2019 {ash}")],
    );
    check_listed(
        "Elm et al. (2018) say so.",
        &["author_year Elm et al. 2018 dangling_number"],
    );
    check_listed(
        "Hard (Ash, 2019), soft (Elm, 2018).",
        &[
            &format!("author_year Ash 2019 {ash}"),
            "author_year Elm 2018 dangling_number",
        ],
    );
    check_listed(
        "It rained (March 2019), in Paris (2020) (Paris, 2020).",
        &[],
    );
    check_listed(
        "Hard (Ash, 2019, https://c.org/x).",
        &[
            &format!("author_year Ash 2019 {ash}"),
            "bare https://c.org/x",
        ],
    );
    check_listed(
        "[Ash, 2019](https://c.org/x)",
        &["link Ash, 2019 https://c.org/x"],
    );
}

#[test]
fn authors_and_years_in_chinese() {
    let list = "\n\n## 参考文献\n\n[1] 王小明, 李华. 风[J]. 2020. https://a.org/1\n[2] 欧阳修. 帆. 2021.\n[3] 李华. 船. 2021.\n[4] 李强. 桨. 2021.";
    let check = |text: &str, expect: &[&str]| {
        let found = parse(&format!("{text}{list}")).citations;
        let cited: Vec<String> = found
            .iter()
            .filter(|one| one.style != Style::ReferenceOnly)
            .map(told)
            .collect();
        assert_eq!(cited, expect, "{text}");
    };
    check(
        "风很大（王，2020）。",
        &["author_year 王 2020 #0 https://a.org/1"],
    );
    check(
        "风很大（王小明等，2020年）。",
        &["author_year 王小明等 2020 #0 https://a.org/1"],
    );
    check(
        "风很大(王小明、李华, 2020)。",
        &["author_year 王小明、李华 2020 #0 https://a.org/1"],
    );
    check(
        "根据王小明等（2020）的研究",
        &["author_year 王小明等 2020 #0 https://a.org/1"],
    );
    check("欧阳修（2021）认为", &["author_year 欧阳修 2021 #1 no_url"]);
    check(
        "帆很大（李，2021）。",
        &["author_year 李 2021 ambiguous_author_year"],
    );
    check("（发表于2020年）", &[]);
}

#[test]
fn bare_addresses() {
    check("See https://a.org/x.", &["bare https://a.org/x"]);
    check("(https://a.org/x)", &["bare https://a.org/x"]);
    check("(see https://a.org/x_(y)).", &["bare https://a.org/x_(y)"]);
    check(
        "<https://a.org/风(x)>",
        &["bare https://a.org/%E9%A3%8E(x)"],
    );
    check("www.a.org/x, and", &["bare https://www.a.org/x"]);
    check("见https://a.org/x。", &["bare https://a.org/x"]);
    check(
        "见https://a.org/x的研究，（https://b.org/y）",
        &["bare https://a.org/x", "bare https://b.org/y"],
    );
    check(
        "《https://a.org/x》「https://b.org/y」",
        &["bare https://a.org/x", "bare https://b.org/y"],
    );
    check(
        "https://a.org/x;https://b.org/y",
        &["bare https://a.org/x", "bare https://b.org/y"],
    );
    check("HTTP://A.org/x", &["bare http://a.org/x"]);
    check(
        "doi:10.1000/xyz123.",
        &["bare https://doi.org/10.1000/xyz123"],
    );
    check(
        "(arXiv:2301.00001)",
        &["bare https://arxiv.org/abs/2301.00001"],
    );
    check(
        "<a href=\"https://a.org/x\">a</a>",
        &["bare https://a.org/x"],
    );
    check_listed("https://a.org/1[2]", &["bare #0 https://a.org/1", TWO]);
}

#[test]
fn mixed_notations() {
    let ash = "author_year Ash 2019 #0 https://a.org/1";
    check_listed(
        "[Hard](https://c.org/x) [1] (Ash, 2019), www.d.org.²",
        &[
            "link Hard https://c.org/x",
            ONE,
            ash,
            "bare https://www.d.org/",
            TWO,
        ],
    );
    check_listed(
        "风大【1】，见[船](https://c.org/x)（Ash，2019）和https://d.org/y；另见[^2]。",
        &[
            ONE,
            "link 船 https://c.org/x",
            ash,
            "bare https://d.org/y",
            "footnote 2 #1 https://b.org/2",
        ],
    );
    check(
        "Hard [1], soft[^1].\n\n[^1]: Sails. https://b.org/y\n\n## 来源\n\n1. 风 https://a.org/x",
        &[
            "numbered 1 #1 https://a.org/x",
            "footnote 1 #0 https://b.org/y",
        ],
    );
}

#[test]
fn images_and_code_cite_nothing() {
    check("![a](https://a.org/x.png)", &[]);
    check(
        "![a [b]](https://a.org/x_(y).png \"t\") ![c][d] <img src=\"https://a.org/x.png\">",
        &[],
    );
    check("![a][b]\n\n[b]: https://a.org/x.png", &[]);
    check(
        "[![a](https://a.org/x.png)](https://b.org/y)",
        &["link a https://b.org/y"],
    );
    check("`https://a.org/x` and `[a](https://a.org/x)`", &[]);
    check(
        "```\n[a](https://a.org/x)\n```\nb https://b.org/y",
        &["bare https://b.org/y"],
    );
    check("~~~py\n[1]\n~~~", &[]);
    check(
        "```markdown\nHard [1](https://a.org/x).\n```",
        &["link 1 https://a.org/x"],
    );
}

#[test]
fn what_is_wrong_with_addresses() {
    check("[a](#part)", &["link a no_url"]);
    check("[a]()", &["link a no_url"]);
    check(
        "[a](mailto:a@a.org) [b](javascript:x) [c](data:text/plain,x) [d](file:///x)",
        &[
            "link a unsupported_scheme",
            "link b unsupported_scheme",
            "link c unsupported_scheme",
            "link d unsupported_scheme",
        ],
    );
    check(
        "[a](URL) [b](link) [c](https://example.com/x)",
        &[
            "link a placeholder_url",
            "link b placeholder_url",
            "link c https://example.com/x placeholder_url",
        ],
    );
    check(
        "[a](./x.md) [b](x.md)",
        &["link a malformed_url", "link b malformed_url"],
    );
    check("[a](https://)", &["link a malformed_url"]);
    check(
        "https://a.org/a/very/lo... and https://a.org/x…",
        &["bare truncated_url", "bare truncated_url"],
    );
    check(
        "http://localhost:3000/x",
        &["bare http://localhost:3000/x placeholder_url private_host"],
    );
    check(
        "http://192.168.1.1/x",
        &["bare http://192.168.1.1/x private_host"],
    );
    check(
        "https://a.org/x?utm_source=chatgpt.com&b=1",
        &["bare https://a.org/x?b=1 tracking_removed"],
    );
}
