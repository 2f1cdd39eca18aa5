"""English verbs by what has to follow them. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

NEED_OBJECT: Final = """
abandon abolish absorb abuse accept access accommodate accompany accomplish accumulate achieve acknowledge acquire
activate adapt add address adjourn administer admit adopt adore advertise advise affect afford airlift alert alienate
align alleviate allocate allow alter amaze ambush amend amplify amputate amuse analyse analyze annotate announce annoy
answer anticipate appoint appraise appreciate apprehend approve archive arouse arrange arrest articulate ascertain
assassinate assault assemble assert assess assign assist associate assume assure astonish attach attain attend attract
attribute audit authenticate authorise authorize automate avert avoid await award back bake ban banish baptise baste
bathe bear beat befriend believe belittle besiege betray bewilder bill bind blacklist blame bleach blend bless block
blow boil bombard book bookmark boost borrow bother boycott braid braise breach break brighten bring broadcast broaden
bruise build bully bury button buy bypass calculate calibrate call cancel capitalise captivate capture caress carry
carve cast catch cause celebrate censor certify challenge characterise chase check cherish chill choose chop christen
chronicle circulate cite claim clamp clarify classify clear clench clip clone clutch coach coax collect combine
comfort commemorate commend commission commit compare compel compensate complete compose compress conceal concede
conceive concern conclude condemn condense condone conduct configure confine confirm confiscate confront confuse
congratulate connect conquer conserve consider console constitute construct consult consume contact contain
contaminate contemplate contradict contribute control convert convey convict convince coordinate copy correct cost
count counteract cover crack cram crash-test create criticise criticize crop cross-check crush cultivate curb cure
customise customize cut damage debug deceive decipher declare decode decorate dedicate deduct deem defeat defend defer
define defraud defrost defy degrade dehydrate delay delegate delete deliver demand demolish demonstrate denounce deny
depict deploy deprive derail descale describe deserve design designate despise destroy detach detain detect deter
determine devote devour diagnose dial dictate dilute dim diminish dip direct disable disappoint disarm discard
discharge discipline disclose disconnect discount discourage discover discredit discuss disguise disgust disinfect
dislike dislodge dismantle dismiss dispatch display disqualify disregard disrupt dissect dissolve distort distract
distribute disturb ditch diversify divert divide do domesticate double-check doublecheck doubt download downvote draft
drag drain drench drizzle drop drown dump duplicate dust dye earn edit eject elaborate elect elevate elicit eliminate
email embarrass embed embroider emphasise employ empower empty enable enact enclose encode encompass encounter
encourage encrypt endanger endorse endure energise enforce engage enhance enjoy enlarge enlist enrage enrich enrol
enroll enslave ensure entail enter entertain entrust envisage envy equip eradicate erase erect escort establish
estimate evacuate evade evaluate evict evoke exaggerate examine exceed excite exclaim exclude excuse execute exert
exhaust exhibit expand expect expedite expel experience explain exploit explore export expose express extend
exterminate extinguish extract extradite fabricate face facilitate fact-check fascinate fasten fax feature feed
fertilise fertilize fetch fill film filter finalise finalize finance find fine fit fix flag flatten flavour fling
flood foil follow force force-quit foresee forgive format formulate forsake fortify forward foster frame frighten fry
fuel fulfil fulfill fund furnish garnish gather gauge generate get give glaze glorify glue govern grab grant grasp
grate greet grill grind groom guarantee guard guess guide gulp hack halve hammer hand handle hang harass harbour harm
harness hate haul have heal heat herd highlight hijack hinder hire hit hold hoover host hug hurt hydrate idealise
identify ignite ignore illustrate imagine imitate immerse impair impeach impede impersonate implant implement
implicate imply import impose impress imprison improve include incorporate incur indicate indulge infect infer infest
infiltrate inflate inform infuriate inhabit inhale inherit inhibit initiate inject injure inscribe insert inspect
inspire install instruct insulate insult insure integrate intercept interest interpret interrupt interview intimidate
intrigue introduce invade invalidate invent invest investigate invite invoice involve irrigate irritate isolate issue
itemise jeopardise join judge juggle justify keep kick kidnap kill kindle kiss knead label lace lack ladle lament
laminate laud launch lay lead leak lend lengthen let levy liberate lick lift light lighten like liken limit link lint
list load localise locate lock loosen love lower lure magnify mail maintain make manage manipulate manoeuvre
manufacture marinate mark marry mash match maximise measure meet memorise memorize mend mention merge microwave mimic
mind minimise mishear misinterpret misjudge mislay mislead misplace mispronounce misread miss misspell mistreat
mistrust misunderstand misuse moderate modernise modify moisten molest monetise monitor mop motivate mount move mow
muddle mute name narrate need neglect nominate notice notify nullify nurture obey obscure observe obstruct obtain
occupy offend offer oil open operate oppose optimise optimize orchestrate order organise organize oust outdo outgrow
outline outlive outnumber outperform outsmart outsource outvote outweigh overcharge overcome overcook overdo
overestimate overhear overlook overpay overrate overrule overtake overthrow overturn overwhelm overwrite owe own pack
paint paralyse paraphrase parse pass paste patch pave peddle peel perceive perforate perform perpetuate persecute
persuade phone photocopy photograph pick pierce pile pin pinpoint place plagiarise plait plant please plug plunder
poach poke polish pollinate pollute popularise portray possess post postpone pour praise pre-order precede preclude
predict prefer preheat preorder prepare prescribe present preserve press presume pretend prevent prick print privatise
process procure produce prohibit prolong promote prompt pronounce proofread propel propose prosecute protect prove
provide provoke prune publish pull pump punctuate punish purchase puree purify pursue push put puzzle quantify quench
question quote raise rake ransack rate rationalise re-read reach realign realise realize reap reapply rearrange
reassure rebase rebook reboot rebuild recalibrate recall receive recognise recognize recommend reconcile reconnect
reconsider reconstruct record recover recreate recruit rectify redecorate redeem redefine redesign redirect rediscover
redo reduce refactor refill refine refit reflect reformat refresh refrigerate refuel refund refurbish refuse refute
regain regard register regret regulate rehearse reheat reimburse reinforce reinstall reinstate reiterate reject
rekindle relabel relate release relieve relinquish relisten relive reload relocate remember remind remit remodel
remove rename render renegotiate renew renounce renovate rent reopen repaint repair repay repeat repel rephrase
replace replicate report repost repot represent reprimand reproduce request require reread reschedule rescue resell
resemble resent reserve reset resist resize resolve respect restart restore restrict resume resurrect resuscitate
retain retake retrace retract retrain retrieve retry return retweet reunite reuse revamp reveal reverse revert review
revise revisit revive revoke rewatch rewire rewrite rid ridicule rig ring rinse ripen roast rob romanticise rotate rub
ruffle ruin sabotage sack safeguard salute salvage sand satisfy saute save scald scan scare scatter schedule scold
scoop score scrape scratch scribble scrub seal sear season secure seduce seek segregate seize select sell send
serialise serve set settle sever shape share sharpen shave shed shelve shepherd ship shock shorten show showcase shred
shun shut sideline sift sign signal simmer simplify simulate siphon situate sketch skewer skim skip slap slash slather
slaughter slay slice slow smack smash smear smother smuggle snag snatch snub soak soften solicit solve soothe sort
spank specify spell-check spend spice spill splatter split spoil sponsor spot spray spread sprinkle spruce squeeze
squirt stab stabilise stack stain stamp standardise staple starve steady steal steer sterilise stick stifle stimulate
stipulate stitch store straighten strain strangle strengthen stretch strip stuff stun subdue submit subsidise
substantiate substitute suck sue suggest suit summarise summarize summon supervise supply support suppress surpass
surprise surround survive suspect suspend sustain swap swat sweep swindle switch symbolise sync synchronise tackle tag
tailor take tame tap target taunt teach tear tease televise tell tempt terminate terrify test tether thank thrash
threaten thrill throw thwart tidy tie tighten tile tip title toast torment toss touch tow trace track train trample
transcend transcribe transfer transform translate transmit transport trap traumatise traverse treat trick trigger trim
triple troubleshoot truncate trust tuck type unblock unclog uncover undercut underestimate undergo underline undermine
understand undertake undo unearth unfasten unfollow unfreeze unfriend unify uninstall unleash unlike unload unlock
unmount unmute unpack unpick unpin unplug unravel unscrew unsubscribe untangle untie unveil unwrap unzip update
upgrade uphold upholster upload uproot upset upvote use usher usurp utilise utilize vaccinate vacuum validate value
vandalise varnish verify veto victimise videotape view vilify violate visit visualise visualize wake want warm warn
wash waste water wear weed weigh welcome whack whisk whitelist widen wield wind wipe wire wish withdraw woo worship
wrap wrestle wring xray zap zip
"""
"""They mean little without an object, unless it stands before them ("the one you want")."""

STANDS_ALONE: Final = """
accelerate accept accrue accumulate ache act adapt adjust advance age agree alternate answer apologise apologize appeal
appear apply approve arch argue arrive ask aspire assemble attend audition await awake babysit back-up backfire
backtrack bake balance bargain bark bat bathe battle be beam beep beg begin behave believe bend bet bicker bike bite
blab blare bleed blend blink bloom blossom blow boast boil bond boom boot bother bounce bow bowl brag brainstorm brake
break breathe breed brew brighten broadcast browse bruise brush bubble buckle budge build bulge bump burn burrow burst
busk bustle buzz call calm cancel care caress catch cease celebrate change charge chat chatter cheat check cheer chew
chill chirp choke chuckle circulate clap clash clean clear click climb cling clock clog close clot code coexist coincide
collaborate collapse collect collide comb combust come commence comment commit communicate commute compensate compete
compile complain complete concentrate confirm conform congeal congregate connect consent conspire continue contribute
converge converse cook cool cooperate coordinate cope copy correspond corrode cough count cower crack crackle cram crash
crawl creep cringe crossfade cruise crumble crumple crunch cry crystallise cuddle culminate curdle curl cuss cut cycle
dabble dance dangle dare dart dash date dawn daydream debate decay decelerate decide decline decompose decorate decrease
deepen defrost delegate deliberate deliver demonstrate depart depend deploy deputise descend detach deteriorate detour
develop deviate die differ dig dim diminish dine dip disagree disappear disapprove disconnect disembark dissipate
dissolve dive diverge divide divorce dominate donate doodle double download doze draw dream dribble drift drill drink
drip drive drool droop drop drown dry dust dwell dwindle ease eat eavesdrop echo economise elapse elope emerge emigrate
emit empty end enlist enrol enroll ensue enter erode erupt escalate escape evacuate evaporate evolve excel exercise
exhale exist exit expand experiment expire explode fade fail faint fall falter fancy fare fast fear ferment fester
fidget fight finish fish fit flake flap flash flatline flatten flee flicker flinch flip flirt float flood flourish flow
fluctuate flush flutter fly focus fog fold follow forget forgive freak freelance freeze frown fume function fuss gamble
gape garden gargle gasp gather gaze ghost giggle glare gleam glide glisten glitter gloat glow go gobble google gossip
graduate gravitate grieve grill grin groan grow growl grumble grunt guess guide gush haggle hallucinate halt hang happen
harden harvest hatch haunt heal hear heat help hesitate hibernate hiccup hide hike hire hitchhike hoover hop hover howl
huddle hum hunt hurry hurt hustle idle ignite immigrate improve improvise increase inhale inquire insist install intend
interact interfere intervene invest iron itch jab jam jetlag jingle jog join joke jostle jot judge juggle jump kayak
kick kneel knit knock know lag land lapse last laugh lead leak lean leap learn leave lessen lie lift light limp linger
listen live load loaf lock log loiter loom lose lounge lunge lurk malfunction manage march marry match matter mature
meander meditate meet mellow melt mend meow merge mess migrate mind mingle misbehave misfire mislead mix moan moonlight
mop mope mourn move mow multiply mumble murmur mutate mute mutter nag nail nap narrow navigate negotiate nibble nod
nosedive notice obey object oblige occur ooze open operate originate overcook overeat overflow overheat overlap
overreact overrun oversleep overspend overthink pack paddle paint panic pant parachute park participate party pass
patrol pause pay pedal peek peel perform perish persist perspire phone pivot play plead plummet plunge pop pose pounce
pour practice practise pray preach predominate prepare prevail preview print proceed progress proliferate prosper
protest protrude prowl prune pry puke pull purr push quarrel quit quiver race rain ramble rant rattle react read
reappear rebel reboot rebound recede recharge recite recline reconnect record recover recur recycle reek reel reflect
reform refresh regress regroup rehearse rejoice relapse relax relent reload relocate remarry remember reoffend reopen
repeat reply report reset resign resit respawn respond rest restart resume resurface retaliate retire retreat retry
return reunite reverse revert revise revive revolt revolve rewind ricochet ride ring rinse rip rise roam roar roast roll
rot rummage run rush rust rustle sag sail saunter scab scald scan scatter scoff scramble scream screech scroll scuffle
search see seethe sell separate set settle sew shake share shatter shave shed shift shimmer shine shiver shoot shop
shout shove show shower shriek shrink shrivel shrug shuffle shut sigh sign simmer sing sink sit sizzle skate ski skid
skip skive slack slam sleep slide slip slouch slow slump smash smell smile smirk smoke smoulder snack snap snarl sneak
sneeze sniff snigger snooze snore snorkel snow snuggle soak soar sob socialise socialize soften solidify sound sour spar
sparkle speak spell spin splash splinter spoil sprawl spread sprint sprout sputter squabble squat squeak squeal squint
stabilise stack stagger stain stall stammer stampede stand staple stare start starve stay steam steer step stick stiffen
sting stink stir stop strain stray streak stream stretch strike stroll struggle strut study stumble stutter submit
subside subtract succeed succumb suffer suffice sulk sunbathe surf surge surrender survive swallow swap swarm sway swear
sweat sweep swell swerve swim swing switch swot sympathise sync talk tangle tap taper teach tear teeter tend tense test
text thaw thicken think thrive throb thrust thunder tick tidy tighten tilt tinker tiptoe tire toast topple tow trade
train transpire travel trek tremble trickle trip triple triumph trot trudge try tug tumble tune turn tweet twinkle twist
twitch type understand undo undress unfold unite unravel unwind update upgrade upload urinate vacuum vanish vary veer
vibrate volunteer vomit vote waddle wade waffle wait wake walk wander warm warp wash watch water wave waver weaken weave
weed weep weigh wheeze whimper whine whirl whisper whistle widen wilt win wince wink withdraw wither wobble wonder work
worry worsen wrestle wriggle write yap yawn yearn yell yelp yield zigzag zoom
"""
"""They can end a sentence as they are. Whoever is in both lists may, but often does not."""

MOSTLY_OBJECT: Final = """
accept answer approve ask build check collect complete confirm copy count cut deliver empty expand hoover join load lock
mend move open pack paint print prune pull push read record remember return scan sell share show shut spread swap switch
teach tear test update upgrade wake wash water weigh
"""
"""Those in both lists that mostly have their object."""

NEED_CLAUSE: Final = """
assume believe claim conclude confess deny doubt figure hope imagine mean predict pretend realise realize reckon
recommend say suggest suppose suspect think wonder
"""
"""Something is thought or said, and has to come."""

NEED_PREDICATE: Final = "become feel look remain seem smell sound stay taste"
NEED_PREPOSITION: Final = """
accuse adhere aim amount aspire attribute base belong cater compensate comply consist cope deal derive focus glance
look opt refer rely resort specialise specialize stare stem subscribe succumb tend
"""
TAKE_TO: Final = """
advise afford agree aim allow arrange ask attempt beg begin bother cease choose continue convince decide demand
deserve encourage expect fail force forget get happen hate help hesitate hope intend invite learn like love manage
mean need offer order permit persuade plan prefer prepare pretend promise refuse remember remind seem start struggle
swear teach tell tend threaten train trust try urge volunteer wait want warn wish
"""
"""An infinitive may be what they need."""

TELL: Final = """
advise ask assure convince inform notify persuade promise remind show teach tell warn
"""
"""They say whom, and then what."""
GIVE: Final = """
bring buy find get give grant hand lend make offer order owe pass read sell send wish
"""
"""Whom, and then what; or what at once."""
PLACE: Final = """
assign connect convert keep leave make mark move place put set switch transfer transform turn
"""
"""What, and then where to, into what or how."""
LET: Final = """
have hear help let make see watch
"""
"""Whom, and then a verb without "to"."""

IRREGULAR: Final = """
arise arose arisen/awake awoke awoken/babysit babysat babysat/be was been/bear bore borne/beat beat beaten/
become became become/begin began begun/bend bent bent/bet bet bet/bind bound bound/bite bit bitten/bleed bled bled/
blow blew blown/break broke broken/breed bred bred/bring brought brought/broadcast broadcast broadcast/
build built built/burn burnt burnt/burst burst burst/buy bought bought/cast cast cast/catch caught caught/
choose chose chosen/cling clung clung/come came come/cost cost cost/creep crept crept/cut cut cut/deal dealt dealt/
dig dug dug/do did done/draw drew drawn/dream dreamt dreamt/drink drank drunk/drive drove driven/dwell dwelt dwelt/
eat ate eaten/fall fell fallen/feed fed fed/feel felt felt/fight fought fought/find found found/fit fit fit/
flee fled fled/fling flung flung/fly flew flown/forbid forbade forbidden/forecast forecast forecast/
foresee foresaw foreseen/forget forgot forgotten/forgive forgave forgiven/forsake forsook forsaken/
freeze froze frozen/get got got/give gave given/go went gone/grind ground ground/grit grit grit/grow grew grown/
hang hung hung/have had had/hear heard heard/hide hid hidden/hit hit hit/hold held held/hurt hurt hurt/
input input input/keep kept kept/kneel knelt knelt/know knew known/lay laid laid/lead led led/lean leant leant/
leap leapt leapt/learn learnt learnt/leave left left/lend lent lent/let let let/lie lay lain/light lit lit/
lose lost lost/make made made/mean meant meant/meet met met/mishear misheard misheard/mislay mislaid mislaid/
mislead misled misled/misread misread misread/misspell misspelt misspelt/mistake mistook mistaken/
misunderstand misunderstood misunderstood/mow mowed mown/outdo outdid outdone/outgrow outgrew outgrown/
outrun outran outrun/overcome overcame overcome/overdo overdid overdone/overeat overate overeaten/
overhear overheard overheard/overpay overpaid overpaid/override overrode overridden/overrun overran overrun/
oversee oversaw overseen/oversleep overslept overslept/overspend overspent overspent/overtake overtook overtaken/
overthrow overthrew overthrown/pay paid paid/proofread proofread proofread/prove proved proven/put put put/
quit quit quit/read read read/rebind rebound rebound/rebuild rebuilt rebuilt/redo redid redone/remake remade remade/
repay repaid repaid/reread reread reread/rerun reran rerun/resell resold resold/resend resent resent/
reset reset reset/retake retook retaken/retell retold retold/rethink rethought rethought/rewind rewound rewound/
rewrite rewrote rewritten/rid rid rid/ride rode ridden/ring rang rung/rise rose risen/run ran run/say said said/
see saw seen/seek sought sought/sell sold sold/send sent sent/set set set/sew sewed sewn/shake shook shaken/
shave shaved shaven/shed shed shed/shine shone shone/shoot shot shot/show showed shown/shrink shrank shrunk/
shut shut shut/sing sang sung/sink sank sunk/sit sat sat/slay slew slain/sleep slept slept/slide slid slid/
sling slung slung/slit slit slit/smell smelt smelt/sow sowed sown/speak spoke spoken/spell spelt spelt/
spend spent spent/spill spilt spilt/spin spun spun/spit spat spat/split split split/spoil spoilt spoilt/
spread spread spread/spring sprang sprung/stand stood stood/steal stole stolen/stick stuck stuck/sting stung stung/
stink stank stunk/stride strode stridden/strike struck struck/strive strove striven/swear swore sworn/
sweep swept swept/swell swelled swollen/swim swam swum/swing swung swung/take took taken/teach taught taught/
tear tore torn/tell told told/think thought thought/throw threw thrown/thrust thrust thrust/tread trod trodden/
undercut undercut undercut/undergo underwent undergone/understand understood understood/
undertake undertook undertaken/undo undid undone/unwind unwound unwound/uphold upheld upheld/upset upset upset/
wake woke woken/wear wore worn/weave wove woven/wed wed wed/weep wept wept/win won won/wind wound wound/
withdraw withdrew withdrawn/withhold withheld withheld/withstand withstood withstood/wring wrung wrung/
write wrote written
"""
"""Base, past and participle."""

DOUBLED: Final = """
admit ban bat beg begin bet cancel chat chop clap clip clog commit compel control cram cut dial dig dim dip drag drip
drop equip excel expel fit flip forget fuel get grab grin hit hop hug hum jab jam jog kidnap knit label let log mop nag
nap nod occur outrun overlap pack patrol permit pin plan plug pop prefer propel put quit rebel refer refit regret repel
repot resit rid rig rip rub run sag scan set ship shop shred shrug shut sit skid skim skip slam slap slip snag snap sob
spar spin split spot squat stab step stir stop strip stun submit swap swat swim swot tag tap throb tip transfer trap
travel trek trim trip trot tug unpin unplug unwrap unzip upset win wrap zap zip
"""
"""Their last letter is doubled before an ending."""
