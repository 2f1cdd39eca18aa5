"""Replies of people to steps, each with what it surely means."""

from __future__ import annotations

EXIT = """
stop
Stop.
STOP!!!
please stop
Stop, please.
quit
I quit.
exit
cancel
stop the exercise
Please stop the exercise.
stop this exercise now
Can we stop the exercise?
could we stop here?
Can we stop?
let's stop here
Let's stop.
Ok, let's stop for today
I want to stop
I want to stop now.
I'd like to stop here, thanks
I would like to end the exercise.
I don't want to do this any more
I don't want to do this anymore
I do not want to do this.
i dont want to do this
I don't want to continue
I don\u2019t want to go on with this exercise.
I don't feel like doing this exercise.
no more
That's enough.
enough for today
That is enough of this
I think I want to quit the exercise
I'm tired and want to stop the exercise
No, stop.
ok, this is too much, stop
I give up on this
I'm going to leave the exercise
Sorry, I need to stop here.
i wanna stop now
i just wanna quit
nevermind
Never mind.
forget it
bye
ok bye
I have to go
""".strip().splitlines()
"""The person surely wants out."""

STAYS = """
don't stop
Please don't stop.
I don't want to stop
I do not want to stop the exercise
Don't quit on me
never stop
My heart won't stop racing
I want to stop smoking
I want to stop feeling like this
make it stop
I can't stop thinking about it
How do I stop this feeling?
the bus stop
a stop sign
Stop, drop and roll
I quit my job last week
He said stop the exercise
My boss told me "stop the exercise"
She asked whether we could stop the exercise
"I don't want to do this any more" is what I told him
What happens if I quit?
Should I stop the exercise?
I'll stop the exercise if it hurts
I almost wanted to quit the exercise
yesterday I had to stop the exercise
I used to quit everything
I won't quit the exercise
Nobody can stop me
I have had enough sleep
more and more
There is no more coffee
I will not give up
When I breathe out my thoughts stop
is there an exit in this room
I would rather not end it like this with him
I don't want to do this wrong
I don't want to do this too fast
Why would I want to stop the exercise?
`stop`
> stop the exercise
I can't forget it
I said bye to her
I have to go through this every day
never mind the noise, I am here
""".strip().splitlines()
"""It does not surely, though it looks a little like it."""

DONE = """
ready
I'm ready.
Ready!
done
Done.
ok done
I am done
yes, ready
next step
Next step please
All done, thanks
I think I'm ready
ready now
I'm done with it
ready to start
go to the next step
""".strip().splitlines()
"""The person surely says that the first step of the exercise is done."""

NOT_DONE = """
not ready
I'm not ready yet
am I done?
What is the next step?
not done
almost done
I'm never ready for this
is everyone ready
he is ready
Ready-made soup is what I had for lunch today, by the way
I'll be ready later
my dog is done eating
next to me my cat purrs
I am done eating
ready or not
the next one is sad
no
""".strip().splitlines()
"""It does not surely."""

NAMED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lamp, door, cup", ("lamp", "door", "cup")),
    ("a lamp and a door", ("a lamp", "a door")),
    ("I see a lamp, a red book and my cup.", ("a lamp", "a red book", "my cup")),
    ("1. lamp\n2. door\n3. cup", ("lamp", "door", "cup")),
    ("- my shoes\n- the floor", ("my shoes", "the floor")),
    ("the window", ("the window",)),
    ("There's a chair", ("a chair",)),
    ("I can hear the fan; a car", ("the fan", "a car")),
    ("ok, lamp", ("lamp",)),
    ("window", ("window",)),
)
"""Things that are named."""

NOTHING_NAMED = """
I don't know
I can't find any
What do you mean?
ok
It's hard because I keep thinking of yesterday
I feel quite sad today and I miss my friend very much
help
yes
hm, well
pretty hard, sorry, and I'm too tired
a red, big, old, heavy, wooden table
warm, soft, cold
wait
great, thanks
""".strip().splitlines()
"""Nothing is surely named."""
