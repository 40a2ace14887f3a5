//! Boilerplate of talks: greetings, thanks and organisation. A passage with nothing else has no
//! content.

use super::words::{fold, is_chinese, terms};

/// Fewest terms of a passage with content, boilerplate not counted.
const LEAST_TERMS: usize = 3;

/// Whether a passage only greets, thanks, organises, or has no content at all.
pub fn says_nothing(text: &str) -> bool {
    let mut plain = fold(text);
    if is_chinese(text) {
        for phrase in ZH {
            // A comma keeps the characters on both sides from forming a new pair.
            plain = plain.replace(phrase, "，");
        }
    }
    let known: Vec<_> = terms(EN).into_iter().collect();
    terms(&plain)
        .iter()
        .filter(|term| known.binary_search(term).is_err())
        .count()
        < LEAST_TERMS
}

const EN: &str = "welcome hello morning afternoon evening everyone everybody thank thanks coming today tonight here \
    slide slides screen microphone coffee break lunch question questions answer answers chair session minute minutes \
    room recording applause mute zoom link chat schedule agenda begin beginning start started ladies gentlemen folks \
    pleasure glad happy honour introduce introduction introducing invite invited host hosting organizers organisers \
    hear listening attention please sorry okay next move moving point points thing things something interesting \
    important relevant people person many find found come comes coming way ways one another dinner evening \
    floor sign sheet outside online week later back first last really talk talking speak speaker speakers present presentation seminar lecture audience guest guests";

const ZH: &[&str] = &[
    "大家好",
    "各位",
    "老师",
    "同学",
    "朋友",
    "早上好",
    "上午好",
    "下午好",
    "晚上好",
    "欢迎",
    "感谢",
    "谢谢",
    "来到",
    "参加",
    "今天",
    "非常",
    "高兴",
    "荣幸",
    "邀请",
    "主持",
    "时间",
    "提问",
    "问题",
    "环节",
    "休息",
    "茶歇",
    "开始",
    "下面",
    "首先",
    "接下来",
    "大家",
    "掌声",
    "有请",
    "麦克风",
    "声音",
    "听得见",
    "能听到",
    "屏幕",
    "幻灯片",
    "讲座",
    "报告",
    "分享",
    "介绍",
    "一下",
    "很有意思",
    "非常重要",
    "重要",
    "然后",
    "方面",
    "的话",
    "其实",
    "就是",
    "刚才",
    "那样",
    "这样",
    "情况",
    "晚饭",
    "午饭",
    "安排",
    "结束",
    "以后",
    "一起",
    "过去",
    "二楼",
    "一楼",
    "签到",
    "东西",
    "这个",
    "那个",
    "一些",
    "有趣",
    "值得",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_and_organisation_say_nothing() {
        assert!(says_nothing(
            "Good morning everyone, and thank you for coming to the seminar today."
        ));
        assert!(says_nothing(
            "We will have questions after the coffee break, so please mute your microphones."
        ));
        assert!(says_nothing(
            "大家好，非常感谢各位老师和同学今天来参加讲座。"
        ));
        assert!(says_nothing(""));
    }

    #[test]
    fn findings_say_something() {
        assert!(!says_nothing(
            "Nobody has measured how gravel moves under river ice."
        ));
        assert!(!says_nothing(
            "Coffee prices rise when frost kills the trees."
        ));
        assert!(!says_nothing("声调错误会让识别系统把两个词混在一起。"));
    }
}
