//! Whole reports with all that is told of them.

use super::*;

/// `mark | style label #entry url diagnosis… | address as written`
fn citations(report: &str) -> Vec<String> {
    let line = |citation: &Citation| {
        let mark = cut(report, citation.start, citation.end).replace('\n', "⏎");
        format!(
            "{mark} | {} | {}",
            told(citation),
            citation.raw_url.as_deref().unwrap_or("–")
        )
    };
    parse(report).citations.iter().map(line).collect()
}

/// `label | text | url diagnosis…`
fn references(report: &str) -> Vec<String> {
    let references = parse(report).references;
    let line = |reference: &Reference| {
        let label = reference.label.as_deref().unwrap_or("–");
        let found = reference
            .url
            .iter()
            .cloned()
            .chain(reference.diagnosis.iter().map(name));
        let found: Vec<String> = found.collect();
        format!(
            "{label} | {} | {}",
            reference.text.replace('\n', "⏎"),
            found.join(" ")
        )
    };
    references.iter().map(line).collect()
}

const ENGLISH: &str = r#"# Tone sandhi in coastal dialects

*Prepared by an agent.*

## 1. Summary

Tone sandhi has been described since the 1950s [1], and recordings are plentiful [2-4]. A first corpus[5] was
released in 2019 [2, 7]; its error rate fell from 21% to 12% [3, pp. 4-6]. An array such as `x[1]` is no citation.

```python
print(tones[2])  # see [9] and https://hidden.org/x
```

The [corpus page](https://corpus.org/tones/?utm_source=chatgpt.com) lists 40 speakers, each over 5 km² of coast.
See also https://en.wikipedia.org/wiki/Tone_(linguistics).

![Map](https://corpus.org/map.png)

## References

1. Chen, M. (2000). *Tone Sandhi*. Cambridge. doi:10.1017/CBO9780511486364.
2. [A corpus of tones](https://corpus.org/tones/), accessed 3 March 2025
3. Lee, K. "Recognising tones." arXiv:1904.01234 [cs.CL].
4. Lee, K. Tones on air.
   https://radio.org/tones
5. Unpublished notes.
6. Never used. https://unused.org/a and https://unused.org/b

---

Written on [a machine](https://machine.org).
"#;

#[test]
fn an_english_report_with_a_numbered_list() {
    assert_eq!(
        citations(ENGLISH),
        [
            "[1] | numbered 1 #0 https://doi.org/10.1017/CBO9780511486364 | doi:10.1017/CBO9780511486364",
            "[2-4] | numbered 2 #1 https://corpus.org/tones | https://corpus.org/tones/",
            "[2-4] | numbered 3 #2 https://arxiv.org/abs/1904.01234 | arXiv:1904.01234",
            "[2-4] | numbered 4 #3 https://radio.org/tones | https://radio.org/tones",
            "[5] | numbered 5 #4 no_url | –",
            "[2, 7] | numbered 2 #1 https://corpus.org/tones | https://corpus.org/tones/",
            "[2, 7] | numbered 7 dangling_number | –",
            "[3, pp. 4-6] | numbered 3 #2 https://arxiv.org/abs/1904.01234 | arXiv:1904.01234",
            "[corpus page](https://corpus.org/tones/?utm_source=chatgpt.com) | link corpus page #1 https://corpus.org/tones tracking_removed | https://corpus.org/tones/?utm_source=chatgpt.com",
            "https://en.wikipedia.org/wiki/Tone_(linguistics) | bare https://en.wikipedia.org/wiki/Tone_(linguistics) | https://en.wikipedia.org/wiki/Tone_(linguistics)",
            "6. Never used. https://unused.org/a and https://unused.org/b | reference_only 6 #5 https://unused.org/a uncited_entry | https://unused.org/a",
            "https://unused.org/b | reference_only 6 #5 https://unused.org/b | https://unused.org/b",
            "[a machine](https://machine.org) | link a machine https://machine.org/ | https://machine.org",
        ]
    );
    assert_eq!(
        references(ENGLISH),
        [
            "1 | Chen, M. (2000). *Tone Sandhi*. Cambridge. doi:10.1017/CBO9780511486364. | https://doi.org/10.1017/CBO9780511486364",
            "2 | [A corpus of tones](https://corpus.org/tones/), accessed 3 March 2025 | https://corpus.org/tones",
            "3 | Lee, K. \"Recognising tones.\" arXiv:1904.01234 [cs.CL]. | https://arxiv.org/abs/1904.01234",
            "4 | Lee, K. Tones on air.⏎   https://radio.org/tones | https://radio.org/tones",
            "5 | Unpublished notes. | no_url",
            "6 | Never used. https://unused.org/a and https://unused.org/b | https://unused.org/a uncited_entry",
        ]
    );
    assert_eq!(
        parse(ENGLISH).urls(),
        [
            ("https://doi.org/10.1017/CBO9780511486364", 1),
            ("https://corpus.org/tones", 3),
            ("https://arxiv.org/abs/1904.01234", 2),
            ("https://radio.org/tones", 1),
            ("https://en.wikipedia.org/wiki/Tone_(linguistics)", 1),
            ("https://unused.org/a", 0),
            ("https://unused.org/b", 0),
            ("https://machine.org/", 1),
        ]
    );
}

const CHINESE: &str = r"# 闽南方言声调研究综述

一、引言

闽南话有七个声调【1】，连读变调的规律早已有人描述【1】【2】。近年来的语音识别研究【3†source】把错误率降到百分之十二【2、4】，
详见官方网站https://corpus.cn/shengdiao的说明（https://corpus.cn/faq）。有人认为结果并不可靠［5］。录音共40小时，见《手册》。

王小明等（2020）指出样本太小，另有不同看法（李华，2021）。

## 七、参考资料

【1】王小明，李强：《闽南话声调》，商务印书馆，2020年。网址：https://book.cn/sd。
【2】变调规律 - 语言网 https://yuyan.cn/biandiao?spm=a.b&id=3
[3] 语音识别综述，https://arxiv.org/abs/2301.00001
4、李华. 声调的错误率[J]. 语言研究, 2021.
   链接：https://example.com/paper
6. 方言地图，http://192.168.0.8/map

## 附录

1. 录音由三位老师标注。
";

#[test]
fn a_chinese_report_with_lenticular_brackets() {
    let (book, rules, paper) = (
        "https://book.cn/sd",
        "https://yuyan.cn/biandiao?spm=a.b&id=3",
        "https://example.com/paper",
    );
    let lines = [
        format!("【1】 | numbered 1 #0 https://book.cn/sd | {book}"),
        format!("【1】 | numbered 1 #0 https://book.cn/sd | {book}"),
        format!("【2】 | numbered 2 #1 https://yuyan.cn/biandiao?id=3 tracking_removed | {rules}"),
        "【3†source】 | numbered 3 #2 https://arxiv.org/abs/2301.00001 | https://arxiv.org/abs/2301.00001".to_owned(),
        format!("【2、4】 | numbered 2 #1 https://yuyan.cn/biandiao?id=3 tracking_removed | {rules}"),
        format!("【2、4】 | numbered 4 #3 https://example.com/paper placeholder_url | {paper}"),
        "https://corpus.cn/shengdiao | bare https://corpus.cn/shengdiao | https://corpus.cn/shengdiao".to_owned(),
        "https://corpus.cn/faq | bare https://corpus.cn/faq | https://corpus.cn/faq".to_owned(),
        "［5］ | numbered 5 dangling_number | –".to_owned(),
        format!("王小明等（2020） | author_year 王小明等 2020 #0 https://book.cn/sd | {book}"),
        format!("（李华，2021） | author_year 李华 2021 #3 https://example.com/paper placeholder_url | {paper}"),
        "6. 方言地图，http://192.168.0.8/map | reference_only 6 #4 http://192.168.0.8/map uncited_entry private_host | http://192.168.0.8/map".to_owned(),
    ];
    assert_eq!(citations(CHINESE), lines);
    assert_eq!(
        references(CHINESE),
        [
            "1 | 王小明，李强：《闽南话声调》，商务印书馆，2020年。网址：https://book.cn/sd。 | https://book.cn/sd",
            "2 | 变调规律 - 语言网 https://yuyan.cn/biandiao?spm=a.b&id=3 | https://yuyan.cn/biandiao?id=3 tracking_removed",
            "3 | 语音识别综述，https://arxiv.org/abs/2301.00001 | https://arxiv.org/abs/2301.00001",
            "4 | 李华. 声调的错误率[J]. 语言研究, 2021.⏎   链接：https://example.com/paper | https://example.com/paper placeholder_url",
            "6 | 方言地图，http://192.168.0.8/map | http://192.168.0.8/map uncited_entry private_host",
        ]
    );
}

const MIXED: &str = r"# Light winds

Sails are older than oars[^1], which was long denied (Ash, 2019; Birch & Cole, 2021). Birch and Cole (2021) dated one
to 3000 BC[^old]. Dow et al. (2018) disagree, and so does Elm (2022).

- The museum [shows][museum] one; entry is free[^3].
- Write to [the curator](mailto:curator@museum.org).
- In March (2020) it was closed (see Ash, 2019, p. 12).

[^1]: Ash, *Sails*, https://sails.org/history.
[^old]: Measured with care,
    see [the table](https://sails.org/table_(old)).

[museum]: https://museum.org/sails 'Opening hours'

## Bibliography

Ash, A. (2019). Sails and oars. https://ash.org/sails

Ash, B. (2019). Oars and sails. https://ash.org/oars

Birch, B., & Cole, C. (2021). A dated sail. *Journal of Sails*, 3.
https://doi.org/10.1000/sail.3

Elm, E. (2022). No.
";

#[test]
fn a_report_with_footnotes_and_authors() {
    assert_eq!(
        citations(MIXED),
        [
            "[^1] | footnote 1 #0 https://sails.org/history | https://sails.org/history",
            "(Ash, 2019; Birch & Cole, 2021) | author_year Ash 2019 ambiguous_author_year | –",
            "(Ash, 2019; Birch & Cole, 2021) | author_year Birch & Cole 2021 #5 https://doi.org/10.1000/sail.3 | https://doi.org/10.1000/sail.3",
            "Birch and Cole (2021) | author_year Birch and Cole 2021 #5 https://doi.org/10.1000/sail.3 | https://doi.org/10.1000/sail.3",
            "[^old] | footnote old #1 https://sails.org/table_(old) | https://sails.org/table_(old)",
            "Dow et al. (2018) | author_year Dow et al. 2018 dangling_number | –",
            "Elm (2022) | author_year Elm 2022 #6 no_url | –",
            "[shows][museum] | link shows #2 https://museum.org/sails | https://museum.org/sails",
            "[^3] | footnote 3 dangling_number | –",
            "[the curator](mailto:curator@museum.org) | link the curator unsupported_scheme | mailto:curator@museum.org",
            "(see Ash, 2019, p. 12) | author_year Ash 2019 ambiguous_author_year | –",
            "Ash, A. (2019). Sails and oars. https://ash.org/sails | reference_only #3 https://ash.org/sails uncited_entry | https://ash.org/sails",
            "Ash, B. (2019). Oars and sails. https://ash.org/oars | reference_only #4 https://ash.org/oars uncited_entry | https://ash.org/oars",
        ]
    );
    assert_eq!(
        references(MIXED),
        [
            "1 | Ash, *Sails*, https://sails.org/history. | https://sails.org/history",
            "old | Measured with care,⏎    see [the table](https://sails.org/table_(old)). | https://sails.org/table_(old)",
            "museum | https://museum.org/sails 'Opening hours' | https://museum.org/sails",
            "– | Ash, A. (2019). Sails and oars. https://ash.org/sails | https://ash.org/sails uncited_entry",
            "– | Ash, B. (2019). Oars and sails. https://ash.org/oars | https://ash.org/oars uncited_entry",
            "– | Birch, B., & Cole, C. (2021). A dated sail. *Journal of Sails*, 3.⏎https://doi.org/10.1000/sail.3 | https://doi.org/10.1000/sail.3",
            "– | Elm, E. (2022). No. | no_url",
        ]
    );
}

#[test]
fn what_is_told_survives_json() {
    let found = parse("很大[风](https://a.org/x?utm_id=1) [1].\n\n[1]: https://b.org/y");
    let json = serde_json::to_value(&found).unwrap();
    let first = serde_json::json!({
        "label": "风", "url": "https://a.org/x", "raw_url": "https://a.org/x?utm_id=1", "start": 2, "end": 31,
        "style": "link", "entry": null, "diagnosis": ["tracking_removed"],
    });
    let entry = serde_json::json!({
        "label": "1", "text": "https://b.org/y", "url": "https://b.org/y", "raw_url": "https://b.org/y",
        "start": 38, "end": 58, "diagnosis": [],
    });
    assert_eq!(
        (&json["citations"][0], &json["references"][0]),
        (&first, &entry)
    );
    assert_eq!(serde_json::from_value::<Citations>(json).unwrap(), found);
}
