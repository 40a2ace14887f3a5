//! Reports without faults in each notation, and the edits that plant one fault each.

use super::super::Item::{self, *};

pub(super) const NUMBERED: &str = "\
# Harbour cranes of the north

## Summary

Electric cranes use less power than hydraulic ones [1][2]. Ports change over slowly [3].

## Findings

### Power

A crane of forty tonnes draws 310 kW at its peak [2, 4].

| Port | Cranes | Electric |
|------|-------:|---------:|
| Arven | 12 | 7 |
| Brundal | 9 | – |
| Corsund | 4 | 4 |

![Peak draw by port](https://cdn.harbours.net/peak.png)

### Upkeep

**Costs:**
- Cables wear out within six years [3].

```sh
# not a heading
| not | a table |
```

## References

1. Ash, A. Cranes and currents. https://harbours.net/currents
2. Birch, B. Lifting heavy loads. https://harbours.net/loads
3. Cedar, C. Slow ports. https://ports.org/slow
4. Dogwood, D. Peak power. https://ports.org/peak
";

pub(super) const FOOTNOTES: &str = "\
## Bees in cities

Roofs feed more bees than parks do.[^1] Lime trees matter most.[^2]

Counts | 2021 | 2022
--- | --- | ---
Roofs | 41 | 52
Parks | 17 | 16

### Care

Hives need water in July.[^3] A dry hive loses a third of its bees.[^1]

[^1]: Elder, E. Roofs in bloom. https://bees.org/roofs
[^2]: Fir, F. Trees for bees. https://bees.org/trees
[^3]: Gorse, G. Water. https://hives.net/water
";

pub(super) const LINKS: &str = "\
# Night trains

Sleeping cars returned to [four lines](https://rails.org/lines) in one year. Berths sell out
early, as [one operator reports](https://sleepers.net/berths).

## Prices

A berth costs [90 to 140](https://rails.org/prices).

> | Line | Price |
> |---|---|
> | North | 90 |

## Sources

- Night lines. https://rails.org/lines
- Berths. https://sleepers.net/berths
- What it costs. https://rails.org/prices
";

pub(super) const AUTHORS: &str = "\
# Peat and fire

Drained peat burns longer (Heath, 2018). Rewetting halves the risk (Ivy & Juniper, 2020), as
Kelp et al. (2021) confirm.

## Depth

Fires below 40 cm are rare (Heath, 2018; Larch, 2019).

## Bibliography

Heath, H. (2018). Peat that burns. https://peat.org/burns

Ivy, I., & Juniper, J. (2020). Wet again. https://peat.org/wet

Kelp, K., Moss, M., & Nettle, N. (2021). Risk halved. https://fires.net/risk

Larch, L. (2019). Deep fires. https://fires.net/deep
";

pub(super) const CHINESE: &str = "\
# 竹桥的承重

## 一、概述

竹桥在山区仍然常见【1】。新的胶合竹强度更高【2】，造价也更低【3】。

## 二、比较

| 材料 | 强度 | 造价 |
| :--: | :--: | :--: |
| 原竹 | 45 | 低 |
| 胶合竹 | 98 | 中 |

### 养护

每年检查两次【1】【3】。

## 参考文献

[1] 甲. 山区竹桥. https://qiao.cn/shan
[2] 乙. 胶合竹. https://qiao.cn/jiao
[3] 丙. 造价研究. https://zhu.cn/jia
";

pub(super) const BASES: [&str; 5] = [NUMBERED, FOOTNOTES, LINKS, AUTHORS, CHINESE];

/// What is changed in a report: text that stands there once, and what is put there.
pub(super) type Edit = (&'static str, &'static str);

/// The base, the item that must fail alone, and the edits that plant the fault.
pub(super) const PLANTED: &[(&str, Item, &[Edit])] = &[
    // Entries that nothing cites.
    (
        NUMBERED,
        P3,
        &[(
            "org/peak\n",
            "org/peak\n5. Elm, E. Nothing. https://ports.org/none\n",
        )],
    ),
    (NUMBERED, P3, &[("[2, 4]", "[2]")]),
    (FOOTNOTES, P3, &[("most.[^2]", "most.")]),
    (
        LINKS,
        P3,
        &[(
            "- What it costs.",
            "- More. https://rails.org/more\n- What it costs.",
        )],
    ),
    (AUTHORS, P3, &[("; Larch, 2019", "")]),
    (CHINESE, P3, &[("更高【2】", "更高")]),
    // Citations without an entry.
    (NUMBERED, P4, &[("slowly [3]", "slowly [3][7]")]),
    (NUMBERED, P4, &[("[1][2]", "[1-2, 9]")]),
    (FOOTNOTES, P4, &[("July.[^3]", "July.[^3][^9]")]),
    (
        LINKS,
        P4,
        &[("one year", "one [year](https://rails.org/year)")],
    ),
    (
        AUTHORS,
        P4,
        &[(
            "(Ivy & Juniper, 2020)",
            "(Ivy & Juniper, 2020; Oak & Pine, 2017)",
        )],
    ),
    (
        CHINESE,
        P4,
        &[("每年检查两次【1】", "每年检查两次【1】【8】")],
    ),
    // Several lists, none, or one without an order.
    (
        NUMBERED,
        P5,
        &[("3. Cedar, C.", "## Sources\n\n3. Cedar, C.")],
    ),
    (
        NUMBERED,
        P5,
        &[
            (
                "2. Birch, B. Lifting heavy loads. https://harbours.net/loads\n",
                "",
            ),
            (
                "org/slow\n",
                "org/slow\n2. Birch, B. Lifting heavy loads. https://harbours.net/loads\n",
            ),
        ],
    ),
    (
        LINKS,
        P5,
        &[
            ("- Berths. https://sleepers.net/berths\n", ""),
            (
                "prices\n",
                "prices\n- Berths. https://sleepers.net/berths\n",
            ),
        ],
    ),
    (
        AUTHORS,
        P5,
        &[
            (
                "Ivy, I., & Juniper, J. (2020). Wet again. https://peat.org/wet\n\n",
                "",
            ),
            (
                "net/deep\n",
                "net/deep\n\nIvy, I., & Juniper, J. (2020). Wet again. https://peat.org/wet\n",
            ),
        ],
    ),
    (CHINESE, P5, &[("[3] 丙", "## 资料来源\n\n[3] 丙")]),
    (
        FOOTNOTES,
        P5,
        &[
            ("[^2]: Fir, F. Trees for bees. https://bees.org/trees\n", ""),
            (
                "water\n",
                "water\n[^2]: Fir, F. Trees for bees. https://bees.org/trees\n",
            ),
        ],
    ),
    // A second style.
    (
        NUMBERED,
        P6,
        &[(
            "peak [2, 4]",
            "peak [2, 4] ([Cedar](https://ports.org/slow))",
        )],
    ),
    (
        NUMBERED,
        P6,
        &[("within six years [3]", "within six years<sup>3</sup>")],
    ),
    (
        FOOTNOTES,
        P6,
        &[("third of its bees.[^1]", "third of its bees [1].")],
    ),
    (
        LINKS,
        P6,
        &[(
            "[90 to 140](https://rails.org/prices)",
            "90 to 140 (https://rails.org/prices)",
        )],
    ),
    (
        AUTHORS,
        P6,
        &[(
            "Fires below 40 cm are rare",
            "[Fires below 40 cm](https://fires.net/deep) are rare",
        )],
    ),
    (CHINESE, P6, &[("每年检查两次【1】", "每年检查两次[1]")]),
    // Tables and figures with gaps.
    (NUMBERED, P8, &[("| Corsund | 4 | 4 |", "| Corsund | 4 |")]),
    (
        NUMBERED,
        P8,
        &[("| Brundal | 9 | – |", "| Brundal | 9 | TBD |")],
    ),
    (
        NUMBERED,
        P8,
        &[("(https://cdn.harbours.net/peak.png)", "()")],
    ),
    (
        FOOTNOTES,
        P8,
        &[("| 41 | 52", "| 41 | |"), ("| 17 | 16", "| 17 | |")],
    ),
    (LINKS, P8, &[("> | North | 90 |\n", "")]),
    (CHINESE, P8, &[("| 98 | 中 |", "| 98 | （待补充） |")]),
    (
        CHINESE,
        P8,
        &[("### 养护", "【此处插入强度对比图】\n\n### 养护")],
    ),
    // Headings and tables that Markdown does not know.
    (
        NUMBERED,
        P9,
        &[
            ("## Findings\n", "**Findings**\n"),
            ("### Power", "## Power"),
            ("### Upkeep", "## Upkeep"),
        ],
    ),
    (NUMBERED, P9, &[("### Power", "###Power")]),
    (
        NUMBERED,
        P9,
        &[("### Upkeep", "#### Upkeep"), ("### Power\n\n", "")],
    ),
    (NUMBERED, P9, &[("|------|-------:|---------:|\n", "")]),
    (FOOTNOTES, P9, &[("--- | --- | ---", "--- | ---")]),
    (LINKS, P9, &[("## Prices", "##Prices")]),
    (AUTHORS, P9, &[("## Depth", "__Depth__")]),
    (CHINESE, P9, &[("## 二、比较", "**二、比较**")]),
    (CHINESE, P9, &[("### 养护", "#### 养护")]),
    // Numbers and addresses.
    (
        NUMBERED,
        P10,
        &[("4. Dogwood", "5. Dogwood"), ("[2, 4]", "[2, 5]")],
    ),
    (
        NUMBERED,
        P10,
        &[("https://ports.org/peak", "https://ports.org/slow/")],
    ),
    (
        NUMBERED,
        P10,
        &[("4. Dogwood", "3. Dogwood"), ("[2, 4]", "[2]")],
    ),
    (
        FOOTNOTES,
        P10,
        &[("[^3]: Gorse", "[^4]: Gorse"), ("July.[^3]", "July.[^4]")],
    ),
    (
        LINKS,
        P10,
        &[(
            "prices\n",
            "prices\n- Once more. https://rails.org/prices/\n",
        )],
    ),
    (
        AUTHORS,
        P10,
        &[("https://fires.net/deep", "https://fires.net/risk#deep")],
    ),
    (
        CHINESE,
        P10,
        &[
            ("[3] 丙", "[5] 丙"),
            ("更低【3】", "更低【5】"),
            ("次【1】【3】", "次【1】【5】"),
        ],
    ),
];
