//! Three agents and what they hand in: one that reads well, one that gets half of it wrong, one
//! that only looks as if it had read. Hides the notations in which they cite.

use std::path::Path;

use super::facts::{TASKS, fact};

/// The agents, best first.
pub const AGENTS: [&str; 3] = ["faithful", "half", "tricky"];

/// All reports as Markdown, with addresses of the server at `url`: agent, key of the task, report.
pub fn reports(url: &str) -> Vec<(&'static str, &'static str, String)> {
    REPORTS
        .iter()
        .map(|(agent, task, draft)| (*agent, *task, written(draft, url)))
        .collect()
}

/// Writes into `folder` what the commands of [`command`] need: the reports, the tasks' texts and a
/// script.
pub fn prepare(folder: &Path, url: &str) {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("the folder is writable");
    };
    for (agent, task, report) in reports(url) {
        write(&format!("{agent}-{task}.md"), &report);
    }
    for task in TASKS {
        write(&format!("{}.txt", task.key), &format!("{}\n", task.text));
    }
    write(
        "answer.sh",
        &SCRIPT.replace("KEYS", &TASKS.map(|task| task.key).join(" ")),
    );
}

/// The command of an agent after [`prepare`]: it reads a task in JSON on its standard input, finds
/// it by its text and prints its report; a task that it does not know is an error. The folder's
/// path is absolute and without quotes.
pub fn command(agent: &str, folder: &Path) -> String {
    format!("sh '{}/answer.sh' {agent}", folder.display())
}

const SCRIPT: &str = r#"folder=$(dirname "$0")
json=$(cat)
for task in KEYS; do
    if printf '%s\n' "$json" | grep -F -f "$folder/$task.txt" >/dev/null; then
        exec cat "$folder/$1-$task.md"
    fi
done
echo 'no such task' >&2
exit 1
"#;

/// A draft with its holes filled: `{url}`, `{K-14}` for a fact as its page has it, `{K-14=31}` for
/// the same sentence with another value.
fn written(draft: &str, url: &str) -> String {
    let mut out = String::new();
    for (at, piece) in draft.split('{').enumerate() {
        let Some((hole, after)) = piece.split_once('}').filter(|_| at > 0) else {
            out += piece;
            continue;
        };
        out += &filled(hole, url);
        out += after;
    }
    out
}

fn filled(hole: &str, url: &str) -> String {
    if hole == "url" {
        return url.to_owned();
    }
    let (code, value) = hole
        .split_once('=')
        .map_or((hole, None), |(code, value)| (code, Some(value)));
    let fact = fact(code);
    let (before, after) = fact.sentence.split_once(code).expect("its code");
    let after = value.map_or_else(
        || after.to_owned(),
        |value| after.replacen(fact.value, value, 1),
    );
    [before, code, &after].concat()
}

const REPORTS: [(&str, &str, &str); 12] = [
    (AGENTS[0], TASKS[0].key, SOIL_FAITHFUL),
    (AGENTS[1], TASKS[0].key, SOIL_HALF),
    (AGENTS[2], TASKS[0].key, SOIL_TRICKY),
    (AGENTS[0], TASKS[1].key, HARBOUR_FAITHFUL),
    (AGENTS[1], TASKS[1].key, HARBOUR_HALF),
    (AGENTS[2], TASKS[1].key, HARBOUR_TRICKY),
    (AGENTS[0], TASKS[2].key, TEA_FAITHFUL),
    (AGENTS[1], TASKS[2].key, TEA_HALF),
    (AGENTS[2], TASKS[2].key, TEA_TRICKY),
    (AGENTS[0], TASKS[3].key, OPERA_FAITHFUL),
    (AGENTS[1], TASKS[3].key, OPERA_HALF),
    (AGENTS[2], TASKS[3].key, OPERA_TRICKY),
];

const SOIL_FAITHFUL: &str = "# Water in terraced fields

## Uptake

{K-14} [1] {K-15} [1] A wall moves as well: {K-16} [1]

## Soil and roots

{K-21} [2] {K-31} [3] {K-32} [3]

## Drought

- {K-41} [4]
- {K-51}

The evidence is thin for clay beds and for augered holes.

## References

1. Three steps of a terrace. {url}/soil/terraces
2. Clay plots after a storm. {url}/soil/clay-plots
3. Roots and the ways of water. {url}/soil/roots.pdf
4. Notes of a farm. {url}/soil/notes.txt
";

const SOIL_HALF: &str = "# How terraces keep rain

Several fields were measured ([a copy of the survey]({url}/soil/terraces-mirror)). {K-14} {K-15=16}

Mulch matters ([what straw does]({url}/soil/mulch)). {K-51} {K-52=40}

Lysimeters tell what plants drink ([an open letter]({url}/soil/open-letter)). {K-61} {K-62=27}

Winter is another matter, on which [an older page]({url}/soil/old-frost) has more.
";

const SOIL_TRICKY: &str = "# Terraces and rain: a comprehensive review

Terraces have fascinated people for thousands of years [1]. Many researchers agree that water is important [2]. Roots,
too, play a decisive role [3], and farmers have always known it [4]. Further research is needed.

## References

1. Three steps of a terrace. {url}/soil/terraces
2. Clay plots after a storm. {url}/soil/clay-plots
3. Roots and the ways of water. {url}/soil/roots.pdf
4. Notes of a farm. {url}/soil/notes.txt
";

const HARBOUR_FAITHFUL: &str = "# Battery ferries in a small harbour

{H-11}[^year] {H-12}[^year]

{H-21}[^noise]

Batteries age more slowly than was feared. {H-31}[^cells] {H-32}[^cells]

{H-71}[^wakes]

One limit is the tide: on the day of the failed charge, gauge H-51 stood at 130 centimetres.

[^year]: Two ferries, one year, {url}/harbour/ferries
[^noise]: Noise at the quay, {url}/harbour/quay-noise
[^cells]: Batteries at sea, {url}/harbour/batteries.pdf
[^wakes]: Wakes and beaches, {url}/harbour/wakes?utm_source=agent&utm_medium=report
";

const HARBOUR_HALF: &str = "# Quieter, cleaner, cheaper?

- [Wakes]({url}/harbour/wakes#beach) are the same with any engine. {H-71} {H-72=80}
- [Berths]({url}/harbour/berths.txt \"the harbour's list\") must be rebuilt. {H-41} {H-42=111}
- [Tides]({url}/harbour/tides) set limits. {H-51} {H-52=15}
- [Porpoises]({url}/harbour/today) came back, and [crews]({url}/harbour/go) are content.
";

const HARBOUR_TRICKY: &str = "# Verdict on battery ferries

{H-11=470} See {url}/harbour/annual-report for the full series.

{H-41} The proceedings say so: {url}/harbour/proceedings/volume-9.pdf

A buoy, H-99, counted 5000 silent crossings, says {url}/harbour/press/quiet-ferries
";

const TEA_FAITHFUL: &str = "# 少用农药的茶园：证据表

## 虫害

{T-11}【1】{T-12}【1】

## 品质与土壤

- {T-21}【2】
- {T-22}【2】
- {T-31}【3】
- {T-32}【3】

## 采摘与残留

{T-51}【4】{T-81}【5】另外，{T-61}

## 参考资料

【1】茶园虫情调查 {url}/tea/pests
【2】遮阳网试验 {url}/tea/shade
【3】茶园土壤酸化 {url}/tea/acid
【4】茶农日记 {url}/tea/diary.txt
【5】残留抽检 {url}/tea/residue
";

const TEA_HALF: &str = "# 茶园虫害与品质

虫情见[转载的调查]({url}/tea/pests-mirror)。{T-11}{T-12=80}

加工环节见[萎凋与审评]({url}/tea/wither)。{T-41}

[留草与灯诱]({url}/tea/weeds)提供了两个数字。{T-61}{T-62=24}

春天的冻害见[这篇报道]({url}/tea/frost)。{T-72=43}
";

const TEA_TRICKY: &str = "# 茶园证据综述

{T-62=42}[1] 会员资料也支持这一看法[2]，验证页面[3]和旧文[4]同样如此。

据说，{T-71}

## 参考文献

[1] 留草与灯诱. {url}/tea/weeds
[2] 会员资料. {url}/tea/members
[3] 统计平台. {url}/tea/check
[4] 旧文. {url}/tea/lost
";

const OPERA_FAITHFUL: &str = "# 老唱片修复方案

{P-11}[1] {P-12}[1]

{P-21}[2] 降噪要慎重：{P-31}[3] {P-32}[3]

{P-41}[4]

碎片可以另想办法，{P-71}

## 参考文献

[1] 粗纹唱片的转速与磨损. {url}/opera/shellac
[2] 唱针的选择. {url}/opera/needle
[3] 降噪与听感. {url}/opera/noise
[4] 音高与转速的校正. {url}/opera/pitch
";

const OPERA_HALF: &str = "# 戏曲唱片怎样修复

{P-41}【1】{P-42=70}【1】

{P-51}【2】{P-52=14}【2】

{P-72=46}【3】{P-11}【4】名角的回忆也值得一听【5】。

## 参考资料

【1】音高与转速的校正（转载） {url}/opera/pitch-mirror
【2】资料库概况 {url}/opera/archive.txt
【3】光学扫描放音 {url}/opera/scan
【4】粗纹唱片的转速与磨损 {url}/opera/shellac?utm_campaign=zh#speed
【5】名角口述史 {url}/opera/singers
";

const OPERA_TRICKY: &str = "# 修复方案

{P-11} {P-31=19} 所有做法都已经被广泛证实，无需再列来源。
";
