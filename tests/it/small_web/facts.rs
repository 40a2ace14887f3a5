//! What is true in the small web: four tasks, and sentences with a code and a value that stand on
//! its pages.

/// A research task, in English or Chinese.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Its name in tests, and the first part of its pages' paths.
    pub key: &'static str,
    /// `en` or `zh`.
    pub language: &'static str,
    /// One line without quotes and backslashes, so that it stands in JSON as it is.
    pub text: &'static str,
}

/// The tasks.
pub const TASKS: [Task; 4] = [
    Task {
        key: "soil",
        language: "en",
        text: "Review how terraced fields take up, hold and lose rain water, compare the measurements that exist, and hand in an evidence table of two pages with a source for each figure.",
    },
    Task {
        key: "harbour",
        language: "en",
        text: "Assess whether battery ferries make a small harbour quieter, cleaner and cheaper to run than diesel ferries, and hand in a comparison of the published measurements with their sources.",
    },
    Task {
        key: "tea",
        language: "zh",
        text: "综述茶园在少用农药的条件下怎样控制虫害并保持品质，比较已经发表的实测数据，最后交一份附有来源的证据表。",
    },
    Task {
        key: "opera",
        language: "zh",
        text: "比较修复老戏曲唱片录音的各种方法，说明哪些实测结果可靠、哪些还缺证据，最后交一份附有来源的修复方案。",
    },
];

/// A sentence that stands on a page. Besides its code it holds one number, after the code: the
/// value.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// A capital letter, a hyphen and two digits; no other fact has it.
    pub code: &'static str,
    /// As it is written.
    pub value: &'static str,
    /// The page; its mirror has the fact as well.
    pub path: &'static str,
    /// From its first letter to its full stop.
    pub sentence: &'static str,
}

/// The fact with this code.
pub fn fact(code: &str) -> &'static Fact {
    FACTS
        .iter()
        .find(|fact| fact.code == code)
        .expect("a planted code")
}

const fn at(
    path: &'static str,
    code: &'static str,
    value: &'static str,
    sentence: &'static str,
) -> Fact {
    Fact {
        code,
        value,
        path,
        sentence,
    }
}

/// All facts; those of a page stand together, in its order.
#[rustfmt::skip]
pub const FACTS: &[Fact] = &[
    at("/soil/terraces", "K-14", "23", "Sensor station K-14 recorded a median infiltration rate of 23 millimetres per hour in the wet season."),
    at("/soil/terraces", "K-15", "61", "On the lowest step, gauge K-15 showed that 61 percent of the autumn rain left the terrace as seepage and not as runoff."),
    at("/soil/terraces", "K-16", "9", "The stone wall beside pit K-16 leaned outward by 9 centimetres after three winters without any repair."),
    at("/soil/clay-plots", "K-21", "340", "Plot K-21, which belongs to the Château d’Orée, lost 340 kilograms of clay per hectare in a single storm."),
    at("/soil/clay-plots", "K-22", "41", "Cores from bed K-22 held 41 percent water at a suction where the neighbouring sand had already dried out."),
    at("/soil/roots.pdf", "K-31", "118", "Olive tree K-31 sent its deepest root down to 118 centimetres, well below the hardpan that stops the vines."),
    at("/soil/roots.pdf", "K-32", "7", "Where roots had rotted away, channel K-32 carried dyed water 7 times faster than the soil around it."),
    at("/soil/notes.txt", "K-41", "52", "The farm log K-41 counts 52 days between the last spring rain and the first wilting leaf of the beans."),
    at("/soil/notes.txt", "K-42", "15", "Drilled by hand, hole K-42 met a dense grey layer at a depth of 15 centimetres and went no further."),
    at("/soil/mulch", "K-51", "38", "Under straw the strip K-51 kept its surface cooler by day and evaporated 38 percent less than bare ground."),
    at("/soil/mulch", "K-52", "4", "Strip K-52 needed 4 years of chopped prunings before earthworms came back in numbers that could be counted."),
    at("/soil/open-letter", "K-61", "12", "Weighing lysimeter K-61 lost 12 litres on the hottest afternoon, most of it through the grass."),
    at("/soil/open-letter", "K-62", "270", "The cistern fed by drain K-62 overflowed after 270 millimetres of rain, two weeks earlier than its builders had planned."),
    at("/soil/frost", "K-71", "44", "In the cold January, probe K-71 found frost at 44 centimetres beneath bare soil but none beneath the hedge."),
    at("/soil/frost", "K-72", "3", "The thawing slope K-72 slid by 3 metres in one night once meltwater had nowhere to drain."),

    at("/harbour/ferries", "H-11", "74", "Ferry H-11 needed 74 kilowatt hours for one crossing against a head wind with a full deck of lorries."),
    at("/harbour/ferries", "H-12", "19", "After its refit, hull H-12 burned no oil in port and saved 19 tonnes of diesel in each summer month."),
    at("/harbour/quay-noise", "H-21", "57", "At the café on the north quay, microphone H-21 heard 57 decibels at night while a ferry lay charging."),
    at("/harbour/quay-noise", "H-22", "6", "Residents near mast H-22 in Malmö filed 6 complaints about banging ramps and not one about engines."),
    at("/harbour/batteries.pdf", "H-31", "83", "Battery pack H-31 still held 83 percent of its first capacity when it had been cycled for five years."),
    at("/harbour/batteries.pdf", "H-32", "28", "Cell rack H-32 warmed to 28 degrees in the fastest charge, far below the limit that its maker allows."),
    at("/harbour/berths.txt", "H-41", "210", "Berth H-41 draws 210 amperes from the shore line in the evening peak, more than the whole street of bakeries."),
    at("/harbour/berths.txt", "H-42", "11", "Mooring at berth H-42 by vacuum pads took 11 seconds, so that the charger could start sooner than before."),
    at("/harbour/tides", "H-51", "130", "Tide gauge H-51 stood 130 centimetres above datum on the day when the charging tower could not reach the deck."),
    at("/harbour/tides", "H-52", "5", "A current meter, H-52, saw eddies of 5 knots behind the pier that cost more energy than the wind did."),
    at("/harbour/porpoises", "H-61", "350", "Hydrophone H-61 logged porpoise clicks in 350 hours of the first electric summer, twice as many as the year before."),
    at("/harbour/porpoises", "H-62", "16", "Divers swam transect H-62 and found 16 kinds of algae where an oily film had once kept the stones bare."),
    at("/harbour/wakes", "H-71", "45", "Wave staff H-71 measured wakes of 45 centimetres at the marina when ferries slowed only after the second buoy."),
    at("/harbour/wakes", "H-72", "8", "The sandy beach at pole H-72 retreated 8 metres in ten years, which the council blames on propeller wash."),
    at("/harbour/crews", "H-81", "92", "In survey H-81 about 92 percent of the deckhands said that they sleep better since the engines fell silent."),
    at("/harbour/crews", "H-82", "14", "Training course H-82 lasts 14 days and covers high voltage, evacuation and what to do about smoke."),

    at("/tea/pests", "T-11", "37", "在样方T-11里，色板每周平均诱到37头小绿叶蝉，比不挂色板的对照区明显减少。"),
    at("/tea/pests", "T-12", "8", "监测点T-12的茶丛里每平方米有8个蛛网，蜘蛛多的地方虫口一直没有反弹。"),
    at("/tea/shade", "T-21", "62", "遮阳网T-21挡住了百分之62的直射光，新梢里的氨基酸含量因此比露天茶树高。"),
    at("/tea/shade", "T-22", "5", "试验棚T-22中午的叶面温度降低了5摄氏度，但是阴雨天里看不出什么差别。"),
    at("/tea/acid", "T-31", "4.3", "土壤剖面T-31的酸碱度只有4.3，农技站建议先施石灰再谈有机肥的用量。"),
    at("/tea/acid", "T-32", "150", "地块T-32每亩施入150公斤菜籽饼以后，第二年春茶的芽头更重也更整齐。"),
    at("/tea/wither", "T-41", "18", "萎凋槽T-41里的鲜叶摊放了18个小时，青草气散尽而花香刚刚开始出现。"),
    at("/tea/wither", "T-42", "70", "审评室给茶样T-42打了70分，评语说汤色偏暗、叶底不匀、香气不够持久。"),
    at("/tea/diary.txt", "T-51", "29", "茶农日记T-51写道，清明以前一共采了29天，雨水多的年份要晚一个星期。"),
    at("/tea/diary.txt", "T-52", "6", "老茶树T-52的树围达到6尺，村里人都说它是清代一位僧人亲手种下的。"),
    at("/tea/weeds", "T-61", "11", "杂草小区T-61保留了11种开花植物，为寄生蜂提供了整个夏天的花蜜。"),
    at("/tea/weeds", "T-62", "240", "黑光灯T-62一个夜晚捕到240只蛾子，其中大约一半其实是无害的种类。"),
    at("/tea/frost", "T-71", "13", "防霜风扇T-71在倒春寒的凌晨连续转了13个小时，芽叶受冻的比例很低。"),
    at("/tea/frost", "T-72", "34", "没有风扇的坡地T-72损失了百分之34的头春茶，茶农只好提前修剪茶蓬。"),
    at("/tea/residue", "T-81", "0.05", "抽检批次T-81的农药残留为每公斤0.05毫克，低于出口市场规定的最高限量。"),
    at("/tea/residue", "T-82", "21", "安全间隔期试验T-82表明，喷药以后至少要等21天，嫩叶才可以再次采摘。"),

    at("/opera/shellac", "P-11", "78", "唱片P-11标明每分钟78转，实际测得的转速却偏慢，所以音高低了近半个音。"),
    at("/opera/shellac", "P-12", "460", "在显微镜下，片面P-12上每平方厘米有460道划痕，多数来自用旧的钢针。"),
    at("/opera/needle", "P-21", "3", "换用截面较宽的唱针以后，试听P-21的底噪降低了3分贝，唱词变得容易听清。"),
    at("/opera/needle", "P-22", "25", "针压计P-22的读数是25克，远远超过今天的转盘所能承受的安全范围。"),
    at("/opera/noise", "P-31", "91", "降噪模型P-31把百分之91的爆裂声去掉了，可是锣鼓的起音也被削弱。"),
    at("/opera/noise", "P-32", "17", "听众盲测P-32请来17位老戏迷，大多数人宁可保留一点沙沙的底噪。"),
    at("/opera/pitch", "P-41", "432", "胡琴校音记录P-41显示，定弦大约在432赫兹，比同年代的另一家戏班低。"),
    at("/opera/pitch", "P-42", "7", "转速曲线P-42在一面唱片里漂移了7个音分，修复的时候应当逐段校正。"),
    at("/opera/archive.txt", "P-51", "1200", "资料库P-51登记了1200面粗纹唱片，其中只有很少一部分已经做成数字文件。"),
    at("/opera/archive.txt", "P-52", "40", "库房P-52的相对湿度保持在百分之40左右，发霉的封套因此逐年减少。"),
    at("/opera/singers", "P-61", "55", "口述史访谈P-61里的名角已经唱了55年，她凭着记忆补全了缺失的唱段。"),
    at("/opera/singers", "P-62", "9", "对照乐谱P-62，修复者在录音里找到9处漏字，并且在说明中一一标出。"),
    at("/opera/scan", "P-71", "2400", "光学扫描仪P-71以2400点的分辨率拍下沟槽，裂成两半的唱片也能放音。"),
    at("/opera/scan", "P-72", "64", "用图像重建的片段P-72信噪比提高不多，却一共花去64个小时的计算时间。"),
];
