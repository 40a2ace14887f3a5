//! Whether a text names people who may have needs.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::constant;

static PEOPLE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:patients?|child(?:ren)?|babies|infants?|mothers?|fathers?|parents?|famil(?:y|ies)|wom[ae]n|girls?|boys?|residents?|tenants?|neighbou?rs?|users?|readers?|listeners?|speakers?|students?|pupils?|teachers?|nurses?|doctors?|midwives|carers?|farmers?|growers?|fishermen|workers?|drivers?|pilots?|passengers?|cyclists?|pedestrians?|operators?|customers?|visitors?|volunteers?|migrants?|refugees?|prisoners?|judges?|lawyers?|witnesses|singers?|players?|musicians|actors|audiences?|elderly|villagers?|citizens?|households?|people)\b|老人|孩子|儿童|婴儿|病人|患者|产妇|妈妈|家长|家属|学生|老师|教师|护士|护理员|医生|农民|农户|渔民|工人|司机|乘客|居民|住户|用户|读者|听众|观众|顾客|游客|志愿者|移民|法官|律师|证人|歌手|演员|村民|妇女",
    )
});

/// Whether it does.
pub fn names_people(text: &str) -> bool {
    PEOPLE.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_from_things() {
        for text in [
            "Half of the patients could not tell us.",
            "这种做法老人吃不消。",
        ] {
            assert!(names_people(text), "{text}");
        }
        for text in [
            "The ice grows on the bars of the rack.",
            "冰在栅栏上长出来。",
        ] {
            assert!(!names_people(text), "{text}");
        }
    }
}
