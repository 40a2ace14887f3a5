//! The deliverable of a task: exactly one thing to hand in. Parts of it ("a table with the error
//! rates", "a report with its code") are not a second one. Prose has no end of ways to say so: what
//! is refused here says nothing of making anything, or plainly asks for two things.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::pattern::constant;

/// Whether the text says to make something or to hand it in, or names a thing that is usually
/// handed in.
pub fn is_named(task: &str) -> bool {
    NAMED.iter().any(|pattern| pattern.is_match(task))
}

/// The words that ask for a second deliverable, if any do.
pub fn second(task: &str) -> Option<String> {
    let twice = HANDED_IN.find_iter(task).nth(1);
    twice
        .or_else(|| SECOND.iter().find_map(|pattern| pattern.find(task)))
        .map(|found| found.as_str().trim().to_owned())
}

/// Patterns over these words: `HAND` is to part with something, `MAKE` to have it made, `NEW` to
/// make a thing of its own, `THING` what is often handed in.
fn compiled(pattern: &str) -> Regex {
    let filled = pattern
        .replace("THING", r"(?:reports?|tables?|protocols?|specifications?|checklists?|bibliography|data ?sets?|timelines?|prototypes?|blueprints?|matrix|catalogues?|catalogs?|road ?maps?|memos?|memorandum|notebooks?|guidelines?|proposals?|diagrams?|benchmarks?|questionnaires?|lists?|notes?|briefs?|documents?|plans?|papers?|essays?|handbooks?|manuals?|dossiers?|inventory|atlas|maps?|charts?|scripts?|repository|corpus|glossary|templates?|rubrics?|scorecards?|reviews?|posters?|videos?|films?|workshops?|apps?|applications?|web ?sites?|courses?|exhibitions?|podcasts?|dashboards?|campaigns?|software|tools?|games?|leaflets?|brochures?|press releases?|slide decks?|curriculum|toolkits?|simulators?|platforms?|plug-ins?)")
        .replace("HAND", r"(?:hand in|submit|deliver|turn in|hand over)")
        .replace("MAKE", r"(?:hand(?:s|ed)? in|submit|deliver|provide|return|produce|prepare|compile|write|draft|draw|present|summari[sz]e|report|set (?:\w+ ){0,3}?(?:out|down)|list|give|lay (?:\w+ ){0,3}?out|publish|build|create|develop|supply|turn (?:\w+ ){0,4}?into|document|specify|sketch|describe|plan|devise|design|propose|define|formulate|make|tabulate|chart|plot|answer|outline|assemble|state|construct|collect|gather|revise|record)")
        .replace("NEW", r"(?:write|draft|build|develop|film|shoot|organi[sz]e|launch|publish|programme?|code|host|create|produce|translate|submit|deliver|hand in|turn in|design|curate|compose|record)");
    constant(&format!("(?i){filled}"))
}

static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\b(?:an?|one|your|single|the) (?:[\w-]+ ){0,4}?(?:THING|sheet|figure with|blueprint|log|graph|tree|letter|opinion|annotation|coding scheme)\b",
        r"\b(?:in|as|into) (?:an?|one) (?:[\w-]+ ){0,4}?(?:figure|page|form|spreadsheet)\b",
        r"[一两二三][份张套篇幅本页]|参考书目|书目呈现|规程|手册|指南|清单|方案|说明书|规格书|流程图|对照表|备忘录|问卷|日志|大纲",
        // To hand in whatever it is; to make an object of it, or to put it into a form.
        r"\bHAND\b",
        r"\bMAKE\b (?:[^.!?]{0,160}? )?(?:an?|one|two|three|four|five|ten|your|\d+)[ -][\w-]+",
        r"\b(?:the|your|its|this) (?:\w+ )?(?:results?|outcome|product|deliverable|output|THING|procedure|design|scheme|study|method|document) (?:should|must|has to|have to|needs? to|is|are|will|may)\b",
        r"(?:写成|写一|写出|撰写|编写|编制|编成|制定|制订|整理成|整理出|做成|做一|形成|汇总成|汇成|完成|绘制|画出|呈现|列成|列出|拟定|起草|制作|输出|产出|设计|提出|给出|定义|规定)[^。！？]{0,40}?[一两二三四五六七八九十几份张套篇个幅本页条项]",
        r"提交|交付|上交|呈交|交出|交一|最后交|成果(?:为|是|应)",
    ]
    .map(compiled)
    .into()
});

/// What one sentence after the other tells to hand in.
static HANDED_IN: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?:^|[.;:!?,] |\band (?:then )?)HAND (?:[\w'-]+ ){0,6}?THING\b"));

static SECOND: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // "… a table, and in addition film a video"
        r"\b(?:in addition|additionally|also|besides|moreover|furthermore|on top of that|separately|secondly|after that|apart from that|alongside|on the side|while you are at it)[,:]? (?:please )?(?:\w+ly )?NEW (?:an?|one|two|three|its|another)\b",
        r"\b(?:together with|along with|as well as|plus|accompanied by|and also|and separately|and additionally) (?:an?|another|a second|a separate) (?:[\w-]+ ){0,5}?THING\b",
        // "hand in a table and a prototype": two things of the same rank behind one verb
        r"\bHAND (?:both )?(?:an?|one|the) (?:[\w-]+ ){0,4}?THING(?: (?:of|on|about|for) [\w-]+(?: [\w-]+){0,3}?)?,? and (?:an?|another) (?:[\w-]+ ){0,4}?THING\b",
        r"\band (?:then )?(?:film|shoot|organi[sz]e|launch|host|programme?|code|build|develop|publish) (?:an?|another) ",
        r"\b(?:two|three|both) (?:things|deliverables|items|products|pieces of work|outputs)\b",
        r"\b(?:besides|in addition to|apart from|on top of|next to) (?:the|this) THING,? (?:an?|another) ",
        r"(?:^|[.;,] )(?:and )?then (?:film|shoot|organi[sz]e|launch|publish|programme?|code|host|build|record|develop) (?:an?|one|another) ",
        r"\bsubmit (?:that|this|it) (?:too|as well|also)\b",
        r"\bplus,? (?:[^.,;]{0,40}, )?(?:an?|another|one) ",
        r"\bNEW (?:an?|one) [^.;]{0,90}\b(?:separately|as a second|in addition)\b",
        r"(?:另外|此外|除此之外|同时|顺便|还要|还需|还应|再)(?:还|再|另|需|要|请|须|应|单独|额外)*(?:开发|制作|搭建|拍摄|剪辑|举办|组织|编写|撰写|设计|提交|建立|录制|建设|上线|绘制|策划|翻译|做|交|交出|写)(?:一|出|若干)[^。；]{0,30}?(?:应用|软件|视频|网站|课程|海报|展览|平台|工具|系统|程序|插件|培训|工作坊|手册|报告|数据集|原型|论文|方案|数据库|短片|纪录片|清单|问卷|游戏|讲义|教材|公众号|活动|宣传册)",
        r"(?:提交|交付|上交|交)一[份张套个篇][^，。；]{0,24}?(?:和|与|以及|及|外加|连同)一[份张套个篇部场]",
        r"(?:一并|单独|分别)(?:上交|提交|交付)",
    ]
    .map(compiled)
    .into()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_can_be_handed_in_are_seen() {
        for task in [
            "Survey the work on gravel and hand in an annotated table.",
            "Plan a masking study. The plan should sort all variables.",
            "Work out four hypotheses and list them on one page.",
            "How often does moss close over a ditch? Answer in a one-page letter to the park.",
            "撰写一份规格说明，列出验收条件。",
            "做成一张误差对比表，附一段文字。",
            "用回归检验这个关系。成果为可以重复运行的笔记本。",
        ] {
            assert!(
                is_named(task) && second(task).is_none(),
                "{task}: {:?}",
                second(task)
            );
        }
        assert!(!is_named(
            "Familiarise yourself with ten studies and think about what they mean for the debate."
        ));
        assert!(!is_named(
            "Survey how models were adapted to a trade and reflect on it for a while."
        ));
        assert!(!is_named("了解稻田甲烷的研究现状，思考夜间排放的意义。"));
    }

    #[test]
    fn a_second_thing_is_seen_and_a_part_is_not() {
        for task in [
            "Hand in one table of clays, and in addition film a ten-minute training video.",
            "Hand in the study plan. Also organise a half-day workshop for deans.",
            "Submit a report on gravel and a prototype of the sensor.",
            "编写一份操作规程；另外再开发一个检索应用，一并上交。",
        ] {
            assert!(second(task).is_some(), "{task}");
        }
        for task in [
            "Submit a report that tests the interaction and includes the data and the script.",
            "Deliver an annotated data set with a short report on the removals.",
            "Define a score in a note, and also state a rule for hours of heavy rain.",
            "提交一份附原始数据的分析报告，并给出置信区间。",
        ] {
            assert!(second(task).is_none(), "{task}: {:?}", second(task));
        }
    }
}
