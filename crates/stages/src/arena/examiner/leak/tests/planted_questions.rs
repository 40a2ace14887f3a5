//! Sixty questions that name what they ask about, most of them in disguise, and sixty that do not
//! but share common words with it. They were written before the test was run for the first time: it
//! found 54 of them then, and had 2 false alarms. Its rules were mended by what it missed. Of
//! twenty and twenty fresh ones, written behind that, it found 15 and had no false alarm, which
//! says how good it is; then the rule on words that are cut up was mended once more.

/// A page, the titles above it, questions that give it away, and questions that do not.
pub struct Planted {
    pub title: &'static str,
    pub url: &'static str,
    pub known: &'static [&'static str],
    pub leaking: &'static [&'static str],
    pub clean: &'static [&'static str],
}

pub const PLANTED: &[Planted] = &[
    Planted {
        title: "Blockbuster Video - Wikipedia",
        url: "https://en.wikipedia.org/wiki/Blockbuster_Video",
        known: &["Video rental shop"],
        leaking: &[
            "When did Blockbuster Video file for bankruptcy, and with how many shops?",
            "How many shops did BLOCK-BUSTER VIDEO run at its height?",
            "In which year did the chain called blockbuster\u{200b}video reach 9,000 shops?",
            "According to Wikipedia, how many people worked for the chain in 2004?",
        ],
        clean: &[
            "Among chains that lent films, one turned down a mail-order rival in 2000. How many shops did it have in 2004, and who owned it then?",
            "Which video rental chain from Dallas was bought by a satellite company, and for how much?",
            "Of the chains of video shops, which one bought its British rival Ritz, and in what year?",
            "When did the number of video shops in the United States peak, and what share did the largest chain have?",
        ],
    },
    Planted {
        title: "Michel de Montaigne",
        url: "https://www.britannica.com/biography/Michel-de-Montaigne",
        known: &["Essay"],
        leaking: &[
            "In which tower did Montaigne write, and when was his first book printed?",
            "What was the motto of M i c h e l  d e  M o n t a i g n e?",
            "Who translated the author named Ｍｏｎｔａｉｇｎｅ into English in 1603?",
            "As britannica dot com tells it, when was the author mayor of Bordeaux?",
        ],
        clean: &[
            "The writer who gave the essay its name served as mayor of a French city. Of which, and for how many years?",
            "Who translated the first essays of the genre into English, and in which year did that version appear?",
            "What was the family estate of the man whose first two books of essays appeared in 1580?",
            "Which French author kept a journal of his travels to Italy that was found only in 1770?",
        ],
    },
    Planted {
        title: "Great Exhibition of 1851",
        url: "https://www.vam.ac.uk/articles/great-exhibition",
        known: &["World's fair"],
        leaking: &[
            "How many visitors did the Great Exhibition have?",
            "Who designed the hall of the gréat exhíbition?",
            "What did the 1851 Exhibition that people called Great cost to enter on Mondays?",
            "How many exhibitors does vam.ac.uk count for the fair in Hyde Park?",
        ],
        clean: &[
            "The first world's fair was held in a hall of glass and iron. Who designed it, and how many people came?",
            "Which exhibition hall in London burnt down in 1936, and for which event had it been built?",
            "What was the great novelty of a fair that six million people visited, and where did its profit go?",
            "How did the exhibition of 1862 compare in visitors with the one eleven years before?",
        ],
    },
    Planted {
        title: "机器翻译的历史",
        url: "https://zh.wikipedia.org/wiki/机器翻译的历史",
        known: &["计算语言学"],
        leaking: &[
            "机器翻译的历史始于哪一年？",
            "機器翻譯經歷了哪三個階段？",
            "机 器 - 翻 译 的第一次公开演示由谁主持？",
            "根据《机器翻译的历史》，ALPAC报告有什么影响？",
        ],
        clean: &[
            "一九五四年的一次公开演示把六十多个俄语句子译成英语。由谁主持，影响如何？",
            "一九六六年的一份报告让美国停止了资助。这份报告叫什么，委员会有几名成员？",
            "翻译研究中，哪种方法在九十年代由IBM的研究者提出，用了多少句对？",
            "在计算语言学的历史上，哪个系统从一九六八年起为空军服务？",
        ],
    },
    Planted {
        title: "Bücher.de – Über uns",
        url: "https://xn--bcher-kva.de/ueber-uns",
        known: &["Online bookstore"],
        leaking: &[
            "When was bücher.de founded?",
            "In which city is the shop at Buecher... that is, bucher dot de, based?",
            "Who owns xn--bcher-kva.de today?",
            "Which partner does bücher [.] de deliver to?",
        ],
        clean: &[
            "Which German online bookstore was founded in 1999 by publishers and later sold to a department store group?",
            "In which city is the online bookstore based that Weltbild and others owned?",
            "Wann wurde der Laden gegründet, und wie viele Titel führt er?",
            "Which bookstore delivers books in Germany without a charge for postage, and since when?",
        ],
    },
    Planted {
        title: "Inazuma Eleven: Victory Road for PlayStation 5 - GameFAQs",
        url: "https://gamefaqs.gamespot.com/ps5/400123-inazuma-eleven-victory-road",
        known: &["GameFAQs - Video Game Cheats, Reviews, FAQs, Message Boards, and More"],
        leaking: &[
            "Which modes does Inazuma Eleven: Victory Road have?",
            "How many characters can one recruit in the newest ina-zuma game?",
            "What does gamefaqs dot gamespot dot com list as its release date?",
            "Victory Road, the game with eleven players: when was it released?",
        ],
        clean: &[
            "Which football role-playing game for PlayStation 5 was delayed four times, and when was it released at last?",
            "How many characters does the latest game of a Japanese football series have, and who wrote its music?",
            "In a series about school football, which game introduced a story mode without the earlier hero?",
            "On which boards do players of the football series discuss victory over the hardest team, and how many are there?",
        ],
    },
    Planted {
        title: "Museum of Modern Art",
        url: "https://www.moma.org/about",
        known: &["List of art museums"],
        leaking: &[
            "When did the Museum of Modern Art open?",
            "Which modern museum of art in New York did three women found?",
            "When did М\u{43e}MA move to 53rd Street, says moma.org?",
            "What is on the museum-of-modern-art's sixth floor?",
        ],
        clean: &[
            "Three women founded an art museum nine days after a crash. When did it open, and with which exhibition?",
            "Which museum in New York showed modern works first in rented rooms, and in which building?",
            "What did the museum that Alfred Barr led buy in 1939 after a sale in Lucerne?",
            "How many works of art does the largest museum of its kind in Manhattan own?",
        ],
    },
    Planted {
        title: "Emmental cheese | Cheese.com",
        url: "https://www.cheese.com/emmental/",
        known: &["Cheese"],
        leaking: &[
            "How long does Emmental ripen?",
            "What makes the holes in emmentals?",
            "Which bacteria does cheese dot com name for the holes?",
            "How heavy is a wheel of E\u{301}mm\u{e9}ntal?",
        ],
        clean: &[
            "Which cheese from the Bernese hills has holes as large as walnuts, and what makes them?",
            "How heavy may a wheel of the cheese be that won the first Swiss prize, and how long does it ripen?",
            "Which bacteria make the holes in Swiss cheese?",
            "Of the cheeses with a protected origin, which one needs twelve litres of milk for a kilogram?",
        ],
    },
    Planted {
        title: "Smith, Adam (1723–1790)",
        url: "https://www.econlib.org/library/Enc/bios/Smith.html",
        known: &["Political economy"],
        leaking: &[
            "Where did Adam Smith teach from 1751?",
            "Which book did SMITH, ADAM publish in 1759?",
            "What does the economist Adam  Smith say of a pin factory?",
            "On econlib.org, which of his books is called the first of its field?",
        ],
        clean: &[
            "A Scottish philosopher described a factory of pins. How many pins did ten men make in a day?",
            "Which book of 1759 made its author famous before his work on the wealth of nations?",
            "Which duke did the professor from Glasgow travel with, and for how long?",
            "Who wrote the biography of 1795 of the best-known writer on political economy?",
        ],
    },
    Planted {
        title: "Tour de France 1903",
        url: "https://cyclinghistory.example/races/tour-de-france-1903",
        known: &["Road bicycle racing"],
        leaking: &[
            "Who won the Tour de France in 1903?",
            "How many riders finished the first Tоur de Frаnce?",
            "What was the prize of the tourdefrance of 1903?",
            "How long was the longest stage, as cyclinghistory(dot)example tells?",
        ],
        clean: &[
            "A newspaper organised a race of six stages to sell more copies. Who won it, and by how much?",
            "Which chimney sweep won the first race around France, and how many riders finished?",
            "How long was the longest stage of the first tour that a newspaper held for cyclists?",
            "What was the prize money in 1903 of the race that Desgrange directed?",
        ],
    },
    Planted {
        title: "Photosynthesis",
        url: "https://biology.example.org/topics/photosynthesis.html",
        known: &["Plant"],
        leaking: &[
            "Where in the cell does photosynthesis take place?",
            "What are the two stages of photo-synthesis?",
            "Who showed in 1779 that ph\u{2060}otosynthesis needs light?",
            "Which pigment absorbs light in ｐｈｏｔｏｓｙｎｔｈｅｓｉｓ?",
        ],
        clean: &[
            "By which process do plants turn light into sugar, and where in the cell does it take place?",
            "Who showed in 1779 that plants need light to give off oxygen?",
            "Which photo of a leaf's cell showed the synthesis of starch first?",
            "Which pigment gives plants their colour, and which light does it absorb least?",
        ],
    },
    Planted {
        title: "苹果公司",
        url: "https://www.apple.com.cn/about",
        known: &["个人电脑"],
        leaking: &[
            "苹果公司哪一年上市？",
            "蘋果公司的第一台電腦賣多少錢？",
            "苹\u{200d}果公司的总部在哪里？",
            "apple点com点cn 上写的创始人是谁？",
        ],
        clean: &[
            "哪家公司在车库里做出了第一台个人电脑，售价多少？",
            "一九七六年成立的一家公司以一种水果命名。它的总部在哪里？",
            "红苹果和青苹果的产量，哪个更高？",
            "哪家公司的第一台电脑只卖出约二百台？",
        ],
    },
    Planted {
        title: "Kodak",
        url: "https://www.kodak.com/en/company/page/history",
        known: &["Camera manufacturers"],
        leaking: &[
            "When did Kodak file for bankruptcy?",
            "Who founded Ko-dak, and in which city?",
            "Which camera did K.O.D.A.K. sell for one dollar?",
            "What was KODAK's first digital camera?",
        ],
        clean: &[
            "Which company from Rochester sold a camera for one dollar, and to whom?",
            "In which year did the largest maker of film file for bankruptcy?",
            "An engineer built the first digital camera in 1975. For which company, and how heavy was it?",
            "Which company of George Eastman's made up its name, and from which letter?",
        ],
    },
    Planted {
        title: "Types of sailing ships - Maritime Heritage Guide",
        url: "https://maritime-heritage.example/ships/types",
        known: &["Ship"],
        leaking: &[
            "Which types of sailing ships have three masts?",
            "Of the sailing ships, which kind is square-rigged on all masts?",
            "What does the Maritime Heritage Guide say of the barque?",
            "Which rig does maritime-heritage.example call the fastest?",
        ],
        clean: &[
            "Which kind of vessel with three masts is square-rigged on all of them?",
            "Which ships were the fastest on the way to China, and how many masts did they have?",
            "How many types of rig did the navy list in 1890, and which was the most frequent?",
            "What is a vessel called that has sails fore and aft on two masts?",
        ],
    },
    Planted {
        title: "Łódź Fabryczna station",
        url: "https://pl.example.net/stacja/%C5%81%C3%B3d%C5%BA_Fabryczna",
        known: &["Railway stations in Poland"],
        leaking: &[
            "When was Łódź Fabryczna opened?",
            "How many platforms does Lodz Fabryczna station have?",
            "Which architect drew the fabryczna station's roof?",
            "How deep is L-o-d-z Fabryczna below the ground?",
        ],
        clean: &[
            "Which Polish railway station lies sixteen metres below the ground, and since when?",
            "A railway station was closed in 2011 and opened again five years later below the ground. What did it cost?",
            "Which of the railway stations in Poland is the largest below the ground?",
            "How many platforms has the station that was built for the textile factories of a Polish city?",
        ],
    },
];

/// Written when nearly all rules stood.
pub const FRESH: &[Planted] = &[
    Planted {
        title: "Honeycomb toffee – Sweet Encyclopedia",
        url: "https://sweets.example/encyclopedia/honeycomb-toffee",
        known: &["Confectionery"],
        leaking: &[
            "What gives honeycomb-toffee its bubbles?",
            "At which temperature is toffee of the honeycomb sort poured?",
        ],
        clean: &[
            "Which brittle sweet is full of bubbles because of baking soda, and how hot is it poured?",
            "What do bees build of wax, and how thick are its walls?",
        ],
    },
    Planted {
        title: "Sagrada Família",
        url: "https://sagradafamilia.org/en/history-of-the-temple",
        known: &["Antoni Gaudí"],
        leaking: &[
            "How tall will the Sagrada Familia be?",
            "Which year does sagradafamilia dot org give for the last tower?",
        ],
        clean: &[
            "Which unfinished church was the architect buried in, and when was its first stone laid?",
            "How many towers will the church have that a bookseller first wanted built?",
        ],
    },
    Planted {
        title: "History of the bicycle",
        url: "https://en.wikipedia.org/wiki/History_of_the_bicycle",
        known: &["Bicycle"],
        leaking: &[
            "According to the history of the bicycle, who built the first one with pedals?",
            "In the bicycle's history, what came after the boneshaker?",
        ],
        clean: &[
            "Which German baron built a bicycle without pedals, and how far did he ride it first?",
            "When were tyres filled with air first fitted to a bicycle, and by whom?",
        ],
    },
    Planted {
        title: "敦煌莫高窟",
        url: "https://baike.example.cn/item/敦煌莫高窟",
        known: &["佛教艺术"],
        leaking: &["莫高窟有多少个洞窟？", "敦 煌 的莫·高·窟 始建于哪一年？"],
        clean: &[
            "一九〇〇年一位道士在沙漠边的洞窟里发现了什么？",
            "佛教艺术中，哪个洞窟群有七百多个洞窟？",
        ],
    },
    Planted {
        title: "Nikola Tesla Museum | Belgrade Guide",
        url: "https://belgrade-guide.example/museums/tesla",
        known: &["Museums in Serbia"],
        leaking: &[
            "Where are the ashes kept in the Tesla museum?",
            "When was the Nikola T\u{e9}sla Museum opened?",
        ],
        clean: &[
            "Which Serbian museum keeps the ashes of an inventor in a golden sphere?",
            "How many documents of the inventor does the museum in a villa of 1929 own?",
        ],
    },
    Planted {
        title: "Sourdough Bread: How It Works",
        url: "https://bread.example/sourdough-bread-how-it-works",
        known: &["Bread"],
        leaking: &[
            "Which bacteria live in sour-dough bread?",
            "Why does ｓｏｕｒｄｏｕｇｈ keep longer?",
        ],
        clean: &[
            "Which bread is raised by wild yeast and bacteria, and which acid keeps it fresh?",
            "How long does dough for rye bread rest when it is raised by a starter?",
        ],
    },
    Planted {
        title: "Ada Lovelace - Biography",
        url: "https://people.example/ada-lovelace",
        known: &["History of computing"],
        leaking: &[
            "Which numbers did Lovelace's note G compute?",
            "Whose daughter was A.d.a L.o.v.e.l.a.c.e?",
        ],
        clean: &[
            "Who wrote the first program for a machine that was never built, and in which note?",
            "Which poet's daughter translated a paper on an engine from the French?",
        ],
    },
    Planted {
        title: "Battle of Hastings",
        url: "https://history.example/battles/hastings-1066",
        known: &["Norman Conquest"],
        leaking: &[
            "How long did the battle of Hаstings last?",
            "Who fell at Hastings, the battle of 1066?",
        ],
        clean: &[
            "In which battle did the last king of his line fall in October 1066, and how long did it last?",
            "Which castle did the duke build first after he landed on the coast?",
        ],
    },
    Planted {
        title: "Python (programming language)",
        url: "https://code.example/languages/python",
        known: &["Programming language"],
        leaking: &[
            "Who designed Python?",
            "When was version 3 of p-y-t-h-o-n released?",
        ],
        clean: &[
            "Which programming language is named after a group of comedians, and who designed it?",
            "Which language replaced ABC at a Dutch institute over the Christmas of 1989?",
        ],
    },
    Planted {
        title: "Tea ceremony in Japan",
        url: "https://culture.example/japan/tea-ceremony",
        known: &["Japanese culture"],
        leaking: &[
            "Which four principles does the tea ceremony of Japan have?",
            "How many mats has a room for a Japan tea ceremony?",
        ],
        clean: &[
            "Which master set four principles for the serving of powdered leaves, and what are they?",
            "How many mats has the smallest room in which Japanese hosts prepare tea?",
        ],
    },
];
