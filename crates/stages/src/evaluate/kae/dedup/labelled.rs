//! Pairs of key points, labelled by hand as duplicates or not. Twenty English ones, then twenty
//! Chinese ones, half of each the same. Pairs that differ do so in one thing that matters: a
//! number, a sign, a name, a direction, a `not`.

pub const PAIRS: [(bool, &str, &str); 40] = [
    (
        true,
        "The 2018 drought reduced maize yields in Zambia by 23 percent compared with the five-year average.",
        "The 2018 drought reduced maize yields in Zambia by 23% compared with the five-year average",
    ),
    (
        true,
        "Fine-tuning on 10 hours of labelled speech lowers the word error rate of dialect recognition.",
        "Fine-tuning on ten hours of labelled speech lowers the word error rate of dialect recognition.",
    ),
    (
        true,
        "Perovskite cells lose about half of their efficiency after 1,000 hours at 85 °C.",
        "Perovskite solar cells lose about half of their efficiency after 1000 hours at 85 °C.",
    ),
    (
        true,
        "The survey found that rural patients wait longer for specialist appointments than urban patients do.",
        "The survey found that rural patients wait much longer for specialist appointments than urban patients.",
    ),
    (
        true,
        "Graph neural networks outperform random forests on predicting the toxicity of small molecules.",
        "On predicting the toxicity of small molecules, graph neural networks outperform random forests.",
    ),
    (
        true,
        "Urban heat islands raise night temperatures in large cities by up to 4 degrees.",
        "In large cities, night temperatures are raised by up to 4 degrees through urban heat islands.",
    ),
    (
        true,
        "The committee recommended that hospitals publish their waiting times every month.",
        "The committee recommended that all hospitals should publish their waiting times every month.",
    ),
    (
        true,
        "Coral bleaching events have become more frequent since the 1980s because the sea surface has warmed.",
        "Coral bleaching events have become more frequent since the 1980s, because sea surface temperatures have risen.",
    ),
    (
        true,
        "Remote work increased productivity in call centres, mostly through fewer breaks and sick days.",
        "Remote work increased productivity in call centres, mainly through fewer breaks and fewer sick days.",
    ),
    (
        true,
        "Most of the archive's letters were written in Latin before the middle of the seventeenth century.",
        "Most letters of the archive were written in Latin before the middle of the 17th century.",
    ),
    (
        false,
        "The glacier retreated by 23 mm per year between 1990 and 2010 according to satellite measurements.",
        "The glacier retreated by 32 mm per year between 1990 and 2010 according to satellite measurements.",
    ),
    (
        false,
        "Mean annual temperature at the station changed by -1.2 degrees over the whole period of observation.",
        "Mean annual temperature at the station changed by 1.2 degrees over the whole period of observation.",
    ),
    (
        false,
        "The new vaccine does reduce transmission of the virus among vaccinated adults in the trial.",
        "The new vaccine does not reduce transmission of the virus among vaccinated adults in the trial.",
    ),
    (
        false,
        "Compulsory voting increases turnout among young citizens in local elections.",
        "Compulsory voting decreases turnout among young citizens in local elections.",
    ),
    (
        false,
        "Wheat is the crop that is most affected by the loss of pollinators in the northern provinces.",
        "Rapeseed is the crop that is most affected by the loss of pollinators in the northern provinces.",
    ),
    (
        false,
        "In Kenya mobile money has raised the savings of households that are headed by women.",
        "In Ghana mobile money has raised the savings of households that are headed by men.",
    ),
    (
        false,
        "Graph neural networks outperform random forests on predicting the toxicity of small molecules.",
        "Random forests outperform graph neural networks on predicting the toxicity of small molecules.",
    ),
    (
        false,
        "The risk of hospital infection is highest for patients older than 80 years with diabetes.",
        "The risk of hospital infection is highest for patients older than 80 years with ventilators.",
    ),
    (
        false,
        "Lithium prices fell sharply in the second half of the year after new mines had opened.",
        "Cobalt prices recovered slowly in the first half of the year after export bans had ended.",
    ),
    (
        false,
        "The test is reliable where p < 0.05 in each of the two samples that were drawn from the register.",
        "The test is reliable where p > 0.05 in each of the two samples that were drawn from the register.",
    ),
    (
        true,
        "2018年的干旱使赞比亚玉米产量比五年平均水平减少了23%。",
        "２０１８年的干旱使赞比亚玉米产量比五年平均水平减少了百分之二十三。",
    ),
    (
        true,
        "方言語音識別的錯誤率在微調之後明顯下降。",
        "方言语音识别的错误率在微调之后明显下降",
    ),
    (
        true,
        "该调查发现农村患者等待专科门诊的时间比城市患者更长。",
        "调查发现，农村患者等待专科门诊的时间比城市患者更长。",
    ),
    (
        true,
        "远程办公提高了呼叫中心员工的工作效率，主要原因是休息和病假减少。",
        "远程办公提高了呼叫中心员工的工作效率，主要是因为休息和病假减少。",
    ),
    (
        true,
        "委员会建议所有公立医院每月公布患者的平均等候时间。",
        "委员会建议公立医院每月公布患者的平均等候时间。",
    ),
    (
        true,
        "城市热岛效应使大城市的夜间气温最多升高4度，对老年人的健康影响最大。",
        "城市热岛效应使大城市夜间气温最多升高四度，对老年人健康的影响最大。",
    ),
    (
        true,
        "图神经网络在预测小分子毒性方面优于随机森林模型。",
        "在小分子毒性预测任务上，图神经网络的表现好于随机森林。",
    ),
    (
        true,
        "自上世纪八十年代以来，由于海面温度上升，珊瑚白化事件变得更加频繁。",
        "自上世纪80年代以来，由于海面温度的上升，珊瑚白化事件变得更加频繁。",
    ),
    (
        true,
        "档案馆的大部分信件是在十七世纪中叶以前用拉丁文写成的。",
        "档案馆中的大部分信件是在十七世纪中叶之前用拉丁文写成的。",
    ),
    (
        true,
        "钙钛矿电池在85摄氏度下工作1000小时后效率损失约一半。",
        "钙钛矿电池在85℃下工作1000小时后，效率约损失一半。",
    ),
    (
        false,
        "卫星测量显示该冰川在1990年至2010年间每年退缩23毫米。",
        "卫星测量显示该冰川在1990年至2010年间每年退缩32毫米。",
    ),
    (
        false,
        "试验表明新疫苗能够减少病毒在接种成年人之间的传播。",
        "试验表明新疫苗不能够减少病毒在接种成年人之间的传播。",
    ),
    (
        false,
        "强制投票提高了青年选民在地方选举中的投票率。",
        "强制投票降低了青年选民在地方选举中的投票率。",
    ),
    (
        false,
        "小麦是北方各省受传粉昆虫减少影响最严重的农作物。",
        "油菜是北方各省受传粉昆虫减少影响最严重的农作物。",
    ),
    (
        false,
        "移动支付提高了肯尼亚女性户主家庭的储蓄水平。",
        "移动支付提高了加纳男性户主家庭的储蓄水平。",
    ),
    (
        false,
        "图神经网络在预测小分子毒性方面优于随机森林模型。",
        "随机森林模型在预测小分子毒性方面优于图神经网络。",
    ),
    (
        false,
        "患有糖尿病的八十岁以上患者发生院内感染的风险最高。",
        "使用呼吸机的八十岁以上患者发生院内感染的风险最高。",
    ),
    (
        false,
        "新矿山投产以后，锂的价格在下半年大幅下跌。",
        "出口禁令结束以后，钴的价格在上半年缓慢回升。",
    ),
    (
        false,
        "观测期内该站的年平均气温变化为−1.2度，夏季的变化最为明显。",
        "观测期内该站的年平均气温变化为1.2度，夏季的变化最为明显。",
    ),
    (
        false,
        "研究认为家谱数字化应当首先由县级档案馆负责实施。",
        "研究认为家谱数字化应当首先由省级图书馆负责实施。",
    ),
];
