"""Texts with a `¦` wherever one piece ends and the next begins. It is no part of the text, and white space around it is
no part of the pieces.
"""

from __future__ import annotations

PLAIN = """
Hello there.
Hello there.¦ How are you?
Hello!¦ Nice to see you!¦ Shall we begin?
Yes.¦ No.¦ Maybe.
The train is late.¦ It comes at noon.¦ Bring a book.
no capital letter begins this.¦ nor this.
Is it raining?¦ Then take the bus.
What?!¦ You ate all of it?
Stop!!!¦ Now.
Really??¦ Yes.
We won!¦ 3 to 1.
The bill was $5.¦ He paid with ten.
That was in 2019.¦ Then he left.
It has two parts: one, and three.
One; two; three.
One, two, three, and off we go.
Tom &amp; Jerry run.¦ So do we.
She works in R&amp;D.¦ Wolfgang does too.
"""

TITLES = """
Dr. Brown will see you now.¦ Please sit down.
I asked Dr. Brown.¦ She said no.
Mr. and Mrs. Hill have arrived.¦ Their dog has not.
Ms. Lee called Prof. Adler about it.
Gen. Ortiz met Sen. Park and Gov. Dale.¦ They talked for an hour.
Prof. Dr. med. Anna Weiss is in.¦ Dr. rer. nat. Kurz is not.¦ Dr. h.c. Lang called Dr. phil. habil. Kern.
He took his med.¦ Then he slept.
Ask Lt. Cole or Sgt. Vance.
The Rev. Ames spoke first.¦ Capt. Ford came after him.
St. John's is a city.¦ So is St. Louis.
He walked down Main St. with a kite.
He lives on Main St.¦ The house is red.
Sammy Davis Jr. sang.¦ We listened.
The son is Tom Reed Jr.¦ He is nine.
Mt. Elbrus is high.¦ Mt. Fuji is not as high.
"""

INITIALS = """
J. K. Marsh wrote it.¦ I read it twice.
It was written by J. R. Stone.¦ Everybody knows it.
George W. Hale sat down.
Go with plan B.¦ The first one failed.
Take vitamin C.¦ It helps a little.
A. B. Carter and C. D. Moss are here.
So it was I.¦ You were right.
"""

SHORT_FORMS = """
The U.S. economy grew.¦ Prices fell.
He lives in the U.S.¦ She lives in France.
The U.K. is an island.¦ The U.S. is not.
He moved to the U.K.¦ His brother stayed.
She has a Ph.D. in chemistry.¦ Her sister has an M.A. in law.
Bring fruit, e.g. apples or pears.¦ Bring bread too.
Use a fast store, i.e. memory.¦ Disks are slow.
Bring pens, paper, etc. for the class.
Bring pens, paper, etc.¦ We start at nine.
Bring pens (paper, etc.) to class.
It is red vs. blue.¦ Blue leads.
Compare cf. Smith on this point.
It weighs approx. five pounds.
See Lopez et al. for details.
See Lopez et al.¦ The data are there.
P.S. I forgot the keys.¦ They are here.
Acme Inc. makes anvils.¦ They are heavy.
He works for Acme Inc.¦ The pay is good.
Brown Bros. and Co. closed.¦ It was sad.
Hill Ltd. bought Dale Corp. for a dollar.
No. 5 is alive.¦ No. 6 is not.
No.¦ I will not.
Look at Fig. 3.¦ It shows the curve.
See vol. 2, ch. 7, pp. 31-35.¦ It is all there.
The talk is in Rm. 12.¦ Come early.
It opens on Jan. 5.¦ It closes on Feb. 9.
We met last Dec.¦ Snow fell.
Open Mon. to Fri.¦ Closed on Sundays.
We sat in the sun.¦ Nobody spoke.
The answer is no.¦ Ask again.
He gave an ex. of it.
Wait for max. 5 minutes.
"""

TIMES = """
Meet me at 5 p.m. tomorrow.
Meet me at 5 p.m. on Monday.¦ Be there.
We start at 9 a.m.¦ Coffee is at ten.
We start at 9 a.m. Monday.¦ Coffee is at ten.
It is 3 p.m. EST now.¦ Call them.
At 10.30 we left.¦ At 11.15 we were back.
It is 10:30.¦ Time to go.
The year 44 B.C. was eventful.
I am.¦ You are not.
"""

NUMBERS = """
He is 6 ft. 2 in. tall.¦ She is 5 ft. 9.
Add 2 lb. of flour and 3 oz. of butter.¦ Stir.
Come in.¦ The door is open.
Pi is 3.14159.¦ It goes on.
It costs 1,299.99 dollars.¦ That is a lot.
Rates rose 0.5 percent.¦ Nobody minded.
Use version 3.11.2.¦ Version 3.10 is too old.
Upgrade to v2.0.1-rc.1 today.
The host is 192.168.0.1.¦ Its port is 8080.
It is .5 of a cup.¦ Stir well.
Section 4.2.1 says so.¦ Section 4.3 does not.
On 24.12.2025 it snowed.
The ratio is 1:2.¦ Fine.
"""

NAMES = """
Ask ann@example.org.¦ Or call her.
Mail to (bob.ray@example.co.uk).¦ Thanks.
The log is app-2024.01.02.log.¦ Read it.
Use std::vec, foo.bar() and a.b.c.¦ That is all.
Follow @sulla.dev on it.
Visit example.com for more.¦ It is free.
Visit https://example.com/a.b?c=d.e!f.¦ Then log in.
Go to https://example.com/search?q=what.¦ Press enter.
Is it at https://example.com/x?¦ No.
Write to ann.lee@example.org.¦ She answers.
Open main.py and setup.cfg.¦ Run both.
The file is notes.tar.gz.¦ Unpack it.
Edit .bashrc now.¦ Then log in again.
Node.js is fast.¦ So is ASP.NET.
Call os.path.join first.
Look into /etc/hosts.¦ It is short.
C:\\temp\\a.txt is gone.¦ Sorry.
I like Yahoo! for mail.¦ Do you?
"""

ELLIPSES = """
Well... I think so.¦ Do you?
Well … let me see.
Wait... what?¦ No.
I was thinking... maybe not.
And then… he left.
Hmm... Okay.
So you mean...?¦ Yes.
To be continued...
"""

QUOTES = """
"Dr. No" is a film.¦ I like it.
“I live in the U.S.,” she said.¦ “And you?”
He said he was "tired."¦ Then he slept.
(One.¦ Two.)¦ Three.
"Go home."¦ He did.
“Go home.”¦ He did.
He said "go home."¦ Nobody moved.
"Are you coming?" she asked.¦ He nodded.
"Stop!" he cried.¦ They stopped.
“Stop!” — he cried twice.
'Fine.'¦ She left.
(It was late.)¦ We slept.
It was late (or early).¦ We slept.
We slept (it was late.) and woke.
[He laughs.] Then he sings.
He said: «Bon.»¦ We agreed.
"Who?"¦ "Me."¦ "Oh."
She asked, "Why?"¦ I shrugged.
"I met Dr. Ames," she said.¦ "He was kind."
(See Fig. 2.)¦ It is clear.
That is all (etc.).¦ Good night.
He yelled "Run!"¦ We ran.
"""

MARKDOWN = """
**Note.**¦ This matters.
**Done** and dusted.
This is *really important.*¦ Read it.
_Quiet._¦ Very quiet.
It is ~~wrong.~~¦ Right.
**Dr. Hill** is *in.*¦ Go.
Run `a.b. c! d? e` now.¦ Then stop.
Set `x = 1. Then y = 2` and go.¦ Good.
Use ``a ` b. C`` here.¦ Fine.
See [the docs. They help](https://example.com).¦ Then ask.
See [the docs](https://example.com/a.b).¦ Then ask.
It grew fast.[1]¦ Then it fell.[2][3]
Known since 1905.[^note]¦ Still true.
<speak>Hello.</speak>
Say <say-as interpret-as="date">Jan. 5</say-as> aloud.¦ Good.
Wait <break time="1.5s"/> here.¦ Go on.
If a < b.¦ then stop.¦ Else go.
Press <b>OK.</b>¦ Then wait.
<p>One.</p>¦ <p>Two.</p>
Is x <y or z> w?¦ No.
![A chart. With bars](a.png) shows it.¦ Look.
The *e.g.* is short.¦ So is _etc._ here.
"""

WIDE = """
价格是10.5元。¦很便宜！
他说：“真的吗？”¦是的。
你好。¦我很好。¦你呢？
他说：“走吧。”¦我们走了。
「行こう。」¦彼は言った。
太好了！¦谢谢。
今天是3.14节。¦好。
好吗?¦好!¦走吧。
これはペンです。¦それは本です。
क्या हाल है?¦ सब ठीक है।¦ आप?
كيف حالك؟¦ بخير.
Ça va?¦ Très bien.¦ Où est-il?
Привет.¦ Как дела?
Ελα εδώ.¦ Τώρα.
안녕하세요.¦ 반갑습니다.
"""

LINES: list[str] = [
    "One line¦\nAnother line",
    "Hello there\n\n¦How are you?",
    "# A heading. With a stop\n¦Text. ¦More.",
    "## 1. Introduction\n¦It begins.",
    "- one\n¦- two. ¦It is even.\n¦- three",
    "* one.\n¦* two.",
    "1. First do this.\n¦2. Then do that. ¦Wait.\n¦10. Rest.",
    "1) First.\n¦2) Second.",
    "a. Alpha\n¦b. Beta",
    "iv. The fourth\n¦v. The fifth",
    "1.2. Scope\n¦1.3. Terms",
    "> A quotation. ¦It has two sentences.",
    "- [ ] Milk. ¦Eggs.\n¦- [x] Bread.",
    "| Name | Says |\n¦|---|---|\n¦| Dr. Ames | Hi. Bye. |\n¦Done.",
    "Before.\n\n¦---\n\n¦After.",
    "In the U.S.\n¦the law is clear.",
    "Bring pens, etc.\n¦and paper",
    'He asked\n¦"Why?"\n¦"Because."',
    "Ends without a stop",
    "Ends with Dr.",
    "Ends with spaces.   ",
    "   Begins with spaces.",
    "Two.  ¦Spaces.\t¦And a tab.",
    "A line\r\n¦and another.\r\n",
    "Code:\n¦```python\nx = 1. Y\n\nprint(x)\n```\n¦That was it. ¦Run it.",
    "~~~\na. b.\n~~~\n¦Done.",
    "- Like so:\n¦  ```sh\n  ls. -l\n  ```\n¦- Or not.",
    "1. ```\n   one. Two.\n   ```\n¦2. Rest.",
    "````\n```\ninside. Still.\n```\n````\n¦Out.",
    "```\nnever closed. Still code.\n\nReally.",
    "```x = 1.``` is code. ¦Good.",
    "An open `tick never. Closes\n¦but the line does. ¦Here.",
    "An open [bracket never. Closes\n¦but the line does. ¦Here.",
    "One.\n\n\n\n¦Two.",
    "👍",
    "Great! ¦🎉",
    "...",
]

CASES = [
    *(
        line
        for table in (PLAIN, TITLES, INITIALS, SHORT_FORMS, TIMES, NUMBERS, NAMES, ELLIPSES, QUOTES, MARKDOWN, WIDE)
        for line in table.strip().splitlines()
    ),
    *LINES,
]
