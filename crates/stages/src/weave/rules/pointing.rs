//! Detection of tasks that point at their event: its people, its record, its room. The words
//! themselves are a subject of research like any other: "how the speaker's accent affects
//! recognition" is none.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::{
    pattern::constant,
    words::{is_han, one_line},
};

/// The words that point at the event, if any do. `people` are the full names of those who spoke.
pub fn pointing(task: &str, people: &[String]) -> Option<String> {
    let plain = one_line(task);
    named(&plain, people).or_else(|| {
        let found = PATTERNS.iter().find_map(|pattern| pattern.find(&plain));
        let found = found.or_else(|| {
            if GENERIC.is_match(&plain) {
                None
            } else {
                THE_EVENT.find(&plain)
            }
        });
        found.map(|found| found.as_str().trim().to_owned())
    })
}

/// The words that lean on a text that the reader of the task does not have, if any do.
pub fn leaning(task: &str) -> Option<String> {
    let plain = one_line(task);
    LEANING
        .find(&plain)
        .map(|found| found.as_str().trim().to_owned())
}

/// A speaker's name. In Latin script the whole name of several words, or any word of it
/// that is a name here; in Han script the whole name, or the surname with a title.
fn named(task: &str, people: &[String]) -> Option<String> {
    people
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
        .find_map(|name| {
            if name.chars().any(is_han) {
                let compound = ZH_COMPOUND
                    .iter()
                    .find(|surname| name.starts_with(**surname));
                let surname = compound.map_or_else(
                    || name.chars().take(1).collect(),
                    |surname| (*surname).to_owned(),
                );
                let titled = ZH_TITLES.iter().map(|title| format!("{surname}{title}"));
                return std::iter::once(name.to_owned())
                    .chain(titled)
                    .find(|form| task.contains(form.as_str()));
            }
            let mut words = name.split_whitespace();
            if words.clone().count() > 1 && stands(task, name) {
                return Some(name.to_owned());
            }
            let is_name =
                |part: &&str| part.chars().count() >= 3 && part.starts_with(char::is_uppercase);
            words
                .find(|part| is_name(part) && !WORDS.contains(part) && stands(task, part))
                .map(str::to_owned)
        })
}

/// Whether a name stands in a text, no letter before or after it.
fn stands(task: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '-';
    let mut around = task
        .match_indices(name)
        .map(|(at, _)| (&task[..at], &task[at + name.len()..]));
    around.any(|(before, after)| !before.ends_with(is_letter) && !after.starts_with(is_letter))
}

/// Parts of names that are titles or words as well.
const WORDS: &[&str] = &[
    "Prof",
    "Prof.",
    "Professor",
    "Dr.",
    "Mrs",
    "Mrs.",
    "The",
    "May",
    "June",
    "April",
    "August",
    "Mark",
    "Will",
    "Green",
    "Brown",
    "White",
    "Black",
    "Gray",
    "Young",
    "Long",
    "Short",
    "Rose",
    "Grace",
    "Hope",
    "Joy",
    "Bill",
    "Rich",
    "Art",
    "Frank",
    "Grant",
    "Wood",
    "Stone",
    "Hill",
    "Field",
    "Lake",
    "Rivers",
    "King",
    "Bishop",
    "Price",
    "Park",
    "Bell",
    "Fox",
    "Wolf",
    "Bird",
    "Cook",
    "Baker",
    "Miller",
    "Lamb",
    "Day",
    "Moon",
    "Snow",
    "Winter",
    "Summer",
    "Sun",
    "Love",
    "Best",
    "Hand",
    "Rank",
    "Chart",
    "Trace",
    "Sharp",
    "Swift",
    "Banks",
    "Berg",
    "Bach",
    "Case",
    "Chase",
    "Drew",
    "Earl",
    "Faith",
    "Gene",
    "Ivy",
    "Jack",
    "Page",
    "Pearl",
    "Ray",
    "Reed",
    "Sage",
    "Ward",
    "West",
    "North",
    "England",
    "Paris",
    "London",
    "Florence",
    "Victoria",
    "China",
];
const ZH_TITLES: &[&str] = &[
    "老师",
    "教授",
    "博士",
    "先生",
    "女士",
    "院士",
    "主任",
    "医生",
    "研究员",
    "馆长",
];
const ZH_COMPOUND: &[&str] = &[
    "欧阳", "司马", "上官", "诸葛", "夏侯", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐", "宇文",
    "长孙", "司徒",
];

macro_rules! patterns {
    ($($pattern:literal)*) => { vec![$(compiled($pattern)),*] };
}

fn compiled(pattern: &str) -> Regex {
    let filled = pattern
        .replace("EVENT", r"(?:talk|seminar|lecture|presentation|session|webinar|keynote|colloquium|symposium|workshop|transcript|podcast|panel discussion|slides?|recording)")
        .replace("ROLE", r"(?:keynote speaker|guest speaker|invited guest|guests?|hosts?|speakers?|presenters?|lecturers?|professors?|panell?ists?|moderator|discussant)")
        .replace("SAID", r"(?:said|mentioned|argued|argues|claimed|claims|noted|described|proposed|proposes|suggested|suggests|presented|sketched|outlined|explained|introduced|discussed|reported|raised|emphasi[sz]ed|hypothesi[sz]e[sd]|speculated|speculates|suspects|suspected|believes|believed|thinks|hopes|hoped|voiced|advocated|advocates|recommended|put forward|brought up|hinted at|alluded to|referred to|gave|showed|demonstrated|complained|warned|admitted|joked|asked|told|called|wondered|insisted|stressed|conceded|promised)")
        .replace("NOW", r"(?:today|tonight|yesterday|this (?:morning|afternoon|evening)|just now|earlier)");
    constant(&format!("(?i){filled}"))
}

/// Each of them points, whatever else the task says.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns! {
        r"\b(?:this|today's|tonight's|yesterday's|our|his|her|their) (?:\w+ )?EVENT\b"
        r"\b(?:the|this|that|these|those|our|today.s) (?:\w+ )?ROLE (?:\w+ly )?(?:has |have |had |just )?SAID\b"
        r"\b(?:as|what|which|that|where|when) (?:the|our|this) ROLE\b (?:\w+ )?(?:says?|mentions?|describes?|explains?|puts?|notes?|SAID)\b"
        r"\b(?:according to|as (?:said|mentioned|noted|described|suggested|proposed|argued|explained|put|discussed|reported|raised|presented|outlined|claimed) by|(?:said|mentioned|suggested|proposed|argued|claimed|presented|outlined|sketched|raised|voiced|put forward|introduced|described|reported|discussed|advocated|recommended|given|shown|used|developed|announced) by) (?:the|our|this) (?:\w+ )?(?:ROLE|EVENT)\b"
        r"\bthe ROLE's? (?:\w+ )?(?:idea|claim|hypothes[ei]s|method|approach|proposal|view|argument|suggestion|guess|suspicion|hunch|example|slides?|remarks?|point|group|team|lab|laboratory|own|data set|conjecture|intuition|opinion|framework|anecdote|story|conclusion|results?|findings?|statement|comments?|assumption)s?\b"
        r"\b(?:idea|claim|hypothes[ei]s|method|approach|proposal|view|argument|suggestion|guess|suspicion|hunch|example|remark|conjecture|opinion|framework|anecdote|statement|comment)s? (?:of|from) the ROLE\b"
        r"\bwe (?:were (?:just )?(?:shown|told|given)|(?:have )?(?:just )?(?:heard|listened to)|(?:saw|learned|learnt|discussed|met) NOW)\b"
        r"\b(?:shown|heard|presented|discussed|mentioned|told|seen|introduced|described|raised|sketched|suggested|proposed|outlined|quoted|cited) (?:\w+ ){0,3}?NOW\b"
        r"\b(?:shown|heard|presented|discussed|mentioned|told|seen|introduced|described|raised|sketched|suggested|proposed|outlined|quoted|cited|asked|stated|reported) (?:\w+ )?(?:in|at|during|by) (?:the|this|today's|our) (?:\w+ )?(?:EVENT|ROLE|question round|discussion|q&a|hour)\b"
        r"\bour (?:\w+ )?ROLE\b"
        r"\b(?:somebody|someone|one|a (?:man|woman|student|colleague|listener)) (?:in|from|of) the audience\b"
        r"\b(?:the|their|his|her) (?:opening|first|last|second|third|final|next|previous|closing) slide\b"
        r"\b(?:to quote|quoting|citing|to borrow from|in the words of|echoing|to follow) (?:the|our|this) (?:\w+ )?ROLE\b"
        r"\bNOW,? (?:it was|it has been|somebody|someone|a colleague) \w+"
        r"\b(?:in front of|before|to|by) this audience\b"
        r"\b(?:question|comment|remark)s? (?:from|by) the audience\b"
        r"\b(?:the|this|these) (?:inspirations?|source text|source passage|quoted (?:sentences?|passages?))\b"
        r"\b(?:the|this) audience (?:member|asked|heard|was told)\b"
        r"\b(?:at|from|in) the podium\b"
        r"(?:这|这场|这次|本次|本场|该场|此次|今天的?|今日的?|刚才的?|刚刚的?|昨天的?)(?:这)?(?:场|次|个|堂)?(?:学术|精彩)?的?(?:讲座|演讲|讲话|研讨会|分享会?|发言|讲授|座谈)"
        r"(?:今天|刚才|这场|这次|本次|本场|此次)的?(?:学术)?报告"
        r"(?:报告人|主讲人|主讲者|演讲者|演讲人|讲者|发言人|主持人|主讲嘉宾|嘉宾|讲座嘉宾|主讲老师|主讲教授|这位(?:老师|教授|学者|专家|博士|嘉宾|医生|研究者))(?:们)?(?:在[^，。]{0,8})?(?:曾|还|也|已|刚才|特别|反复|一再|开头|开场|结尾|最后|中间)?所?(?:提到|提及|说|认为|指出|介绍|猜测|提出|设想|讲|强调|展示|举|给出|分享|建议|主张|描述|谈到|怀疑|的(?:猜测|观点|说法|设想|思路|方法|做法|例子|建议|想法|假设|研究|团队|课题组|实验室|看法|主张|推测|结论|经验|判断|提议|怀疑))"
        r"(?:讲座|报告会?|演讲|研讨会|发言|分享会?|课堂|会)(?:中|里|上|内|期间)?(?:所|曾|被|有人)?(?:提到|提及|提出|介绍|说到|讲到|指出|展示|讨论过|讲述|谈到|听到)"
        r"(?:我们|大家)?(?:刚才|刚刚|今天(?:上午|下午|晚上)?)(?:所|已经|已|一起)?(?:听到|看到|提到|讲到|介绍|讨论|听过|展示|说)"
        r"(?:录音|讲稿|逐字稿|转录文本|文字稿|幻灯片)(?:中|里|上)?(?:所|的)?(?:提到|提及|提出|说|讲|这|那|所述)"
        r"(?:这段话|这句话|上述引文|引文中|该灵感|这些灵感|这条灵感)"
    }
});

/// The event with its article, pointing unless such events are what the task is about.
static THE_EVENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\b(?:in|during|from|at|throughout|after|of|by|for|on) the (?:\w+ )?(?:talk|seminar|lecture|presentation|webinar|keynote|colloquium|transcript|podcast)(?:[.,;:)]|$| (?:and|that|which|by|on|is|was|to|as|it|for|with|about)\b)",
    )
});

/// Such events as a subject: several of them, or any one.
static GENERIC: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\b(?:(?:talks|seminars|lectures|presentations|webinars|keynotes|transcripts|podcasts|colloquia)\b|(?:a|an|any|each|every|one|weekly|public|recorded|invited) (?:\w+ )?EVENT\b|(?:lecture|seminar|talk|presentation) (?:recordings?|capture|attendance|halls?|rooms?|series|notes|transcription|speech))",
    )
});

static LEANING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"\bas (?:already )?(?:mentioned|discussed|described)(?: (?:above|before|earlier))?(?:[.,;:]|$| (?:since|for|when|and)\b)|\b(?:mentioned|described|discussed|listed|given|stated) (?:above|earlier)\b|\bthe above(?:[.,;:]| (?:idea|problem|method|claim|text|points?|limitations?)|$|-mentioned)|\b(?:the|this) (?:given|provided|following) (?:idea|text|passage|quote|material|context)\b|\bthe idea above\b|上述|如上所|上文|以上(?:内容|所|问题|想法|提到)|前面提到|所提到的|前述",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    fn points(task: &str) -> bool {
        pointing(task, &["Ada Moreau-Singh".to_owned(), "苏念慈".to_owned()]).is_some()
    }

    #[test]
    fn the_event_and_its_people_are_pointed_at() {
        for task in [
            "Test whether Moreau-Singh is right about moss.",
            "Extend the method of this talk to upland bogs.",
            "Build the prototype that the presenter sketched.",
            "Check, as the speaker mentioned, how old the moss is.",
            "Collect the figures that we were shown on the first slide.",
            "List the limits discussed this morning.",
            "Summarise the open problems from the seminar.",
            "Refute the lecturer's claim with public data.",
            "根据报告人提出的思路设计实验。",
            "比较这场讲座介绍的两种方法。",
            "检验苏老师的做法。",
            "整理刚才提到的三个局限。",
        ] {
            assert!(points(task), "{task}");
        }
    }

    #[test]
    fn a_name_that_is_a_word_too_is_told_by_how_it_stands() {
        let points = |task: &str, name: &str| pointing(task, &[name.to_owned()]).is_some();
        let frame = "Compare three gauges. Hand in a table of their errors.";
        for name in ["Han", "David Hand", "Hand", "Ada", "Ben", "Mark"] {
            assert!(!points(frame, name), "{name}");
        }
        assert!(!points(
            "Adapt a benchmark for markets of Hannover.",
            "Ada Ben Mark Han"
        ));
        assert!(points(
            "David Hand built a gauge: measure it.",
            "David Hand"
        ));
        assert!(points(
            "Marsh built a gauge: extend the work that Ada began.",
            "Ada Marsh"
        ));
        assert!(points("Extend the work that Ada began.", "Ada"));
    }

    #[test]
    fn speakers_and_talks_as_a_subject_are_not() {
        for task in [
            "Measure how the speaker's accent affects the recognition of drug names.",
            "Survey studies of who asks questions in research seminars.",
            "Plan a study of attention in weekly lectures, with a probe at three points of the lecture.",
            "Compare automatic captions when the lecturer speaks faster than 150 words per minute.",
            "Do members interrupt a speaker more often when the presiding officer is of their party?",
            "Write a report on the transcription of lectures, with an error table for each speaker.",
            "分析主讲人是否留出提问时间对听众回访率的影响。",
            "写一份关于讲座听众的报告，列出中途离场的比例。",
            "统计说话人切换方言的片段。",
        ] {
            assert!(!points(task), "{task}");
        }
    }
}
