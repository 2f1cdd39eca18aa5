"""English verbs by what has to follow them. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

NEED_OBJECT: Final = """
abandon accept access accompany achieve acquire activate adapt add address admit adore advise affect afford allow
amend announce annoy answer appreciate approve archive arrange arrest assemble assess assign assist assume attach
attend attract authorise authorize avoid await award back bake ban bear beat believe bill bind blacklist blame bleach
blend bless block blow boil book bookmark boost borrow bother break bring broadcast build bury button buy calculate
calibrate call cancel capture carry cast catch cause celebrate challenge chase check choose chop circulate cite claim
clarify classify clear clip clone coach collect combine comfort commission compile complete compress concern conclude
conduct configure confirm confuse connect conserve consider construct consult contact contain control convey convince
copy correct cost count cover crack create criticise crop crush cure cut damage debug declare decorate dedicate deduct
defeat defer define defrost delay delegate delete deliver demand deny deploy deposit descale describe deserve design
despise destroy detach detect determine devote diagnose dial dictate dim dip disable disappoint discount discover
discuss dislike dismiss dispatch display distract divide doubt download draft drag drop dust dye earn edit elect
eliminate email embarrass emphasise employ empty enable encode encounter encourage encrypt endorse enforce engage
enjoy ensure enter entertain erase escort establish estimate evaluate evict exceed exclude excuse execute exhaust
exhibit expand expect experience explain export expose express extend extract face fasten fax feature feed fetch fill
film filter finalise finalize finance find fine fit fix flag flatten flavour follow force format forward foster frame
frighten fry fulfil fulfill fund garnish gather generate get give glue govern grab grant grate greet grill grind
guarantee guard guide hammer hand handle hang hate haul have heat highlight hire hit hold hoover host hug hurt
identify ignore illustrate imitate implement import impose impress improve include indicate inflate inform inherit
initiate injure insert inspect inspire install instruct insult insure integrate interest interpret interrupt interview
introduce invent investigate invite involve iron irritate isolate issue join judge juggle justify keep kick kill kiss
knead label lace lack laminate launch lay lead lend let lick lift light like limit link list load locate lock log
loosen love lower mail maintain make manage marinate mark marry mash match measure meet memorise memorize mend mention
merge microwave mind minimise misplace miss modify monitor mop motivate mount move mow mute name narrate need nominate
notice notify obtain occupy offer oil open oppose order organise organize outline overcook overhear overlook overrule
overtake overwrite owe own pack paint pass paste patch peel perform persuade pet photograph pick pile pin place plant
please plug polish pollute possess post postpone pour praise predict prefer preheat prepare prescribe present preserve
press pretend prevent print process produce prohibit promote prompt pronounce proofread propose protect prove provide
prune publish pull pump punish purchase pursue push put puzzle question quote raise rate reach realise realize
rearrange reassure rebook reboot rebuild recall receive recognise recognize recommend record recover redirect redo
reduce refill refrigerate refund refurbish refuse regard register regret reheat reinstall reject relate release
relocate remember remind remodel remove rename renew rent repaint repair repay repeat replace report represent request
require reschedule rescue resemble reserve reset resist resize resolve respect restart restore restrict retain
retrieve return reveal review revise rewrite ring rinse roast rob rotate rub ruin sack sand satisfy save scan scare
schedule scratch scrub seal season secure seek seize select sell send serve set settle shape share sharpen ship shock
shorten show shred shut sign signal simplify simulate sketch skim skip slap slice slow smash soften solve sort specify
spend spill split spoil sponsor spot spray spread sprinkle squeeze stack stain stamp staple steal sterilise stick
store straighten strengthen stretch strip stuff submit suggest suit summarise summarize supervise supply support
surprise surround survive suspect suspend swap sweep switch sync tackle tag take tap target teach tear tease tell
tempt test thank threaten throw tidy tie tighten tile tip title toast toss touch trace track train transcribe transfer
transform translate transport trap treat trick trigger trim trust tuck type unblock unclog uncover undergo underline
understand undo uninstall unload unlock unmute unpack unplug unsubscribe update upgrade upholster upload upset use
vacuum validate value varnish verify view violate visit visualise wake want warm warn wash waste water wear weed weigh
welcome whisk whitelist widen wind wipe wire wish withdraw worship wrap zip
"""
"""They mean little without an object, unless it stands before them ("the one you want")."""

STANDS_ALONE: Final = """
accelerate accept act adjust age agree answer apologise apologize appear apply approve argue arrive ask aspire awake
babysit backfire balance bark bat bathe beep begin behave believe bend bet bleed blend blink bloom blossom blow boil
bother bounce brainstorm break breathe broadcast browse brush build bump burn burst buzz call calm cancel catch
celebrate change charge chat cheat check cheer chirp choke clap clean clear click climb close code collapse collect
comb come commit commute compete compile complain complete concentrate confirm connect continue cook cool cope copy
cough count crack crash crawl cry cuddle curl cut cycle dance dare date dawn debate decide decline decrease deliver
depart deploy descend die differ dig dine disagree disappear disconnect dissolve dive donate double download doze
dream drift drill drink drip drive drop drown dry dust eat echo emerge empty end enter escape evaporate evolve
exercise exist exit expand expire explode fade fail faint fall fast fear fight finish fish fit flash flicker float
flood flow flush fly focus fog fold follow forget form freeze function garden gargle gather go google gossip graduate
grill grow growl guess hang happen harvest hatch heal hear heat help hesitate hibernate hiccup hide hike howl hum hunt
hurry hurt improve increase install interfere intervene iron itch jam jog join joke judge jump kick kneel knit knock
know land last laugh lead leak lean leap learn leave lie lift light limp listen live load lock loiter lose lurk manage
march marry match matter meditate meet melt mend meow merge mess mind misbehave misfire mix moan mop move mow multiply
mumble mute nap negotiate nod notice object occur open operate overflow overheat overreact oversleep pack paint panic
park participate party pass pause pay peek peel perform persist phone play plead pour practice practise pray prepare
preview print proceed progress protest pull purr push quit race rain rattle react read reboot recharge recite record
recover recycle refresh rehearse relax reload relocate remarry remember repeat reply report reset resign respond rest
restart resume retire return reunite reverse revise rewind ride ring rinse rip rise roar roast roll rot run rush rust
sail scan scream scroll search see sell separate set settle shake share shave shift shine shiver shop shout show
shower shrink shuffle shut sign sing sink sit sizzle skate ski skip slam sleep slide slip slow smell smile smoke
smoulder snack snap sneeze snooze snore snow soak sound spar speak spell spin spoil spread sprint squeak squeal squint
stall stand stare start starve stay steam steer step stick stink stop stretch strike struggle study stumble stutter
subtract succeed suffer sunbathe surf survive swallow sway sweat sweep swell swim swing switch sync talk teach tear
test thaw think thunder tick tidy tire toast trade train travel tremble trip try tune turn twist twitch type
understand unfold unite update upgrade vacuum vanish vary volunteer vote wait wake walk wander warm wash watch wave
whisper whistle wilt win wink wobble wonder work worry write yawn yell zoom
"""
"""They can end a sentence as they are. Whoever is in both lists may, but often does not."""

NEED_CLAUSE: Final = """
assume believe claim conclude confess deny doubt figure hope imagine insist mean predict pretend realise realize
reckon recommend say suggest suppose suspect think wonder
"""
"""Something is thought or said, and has to come."""

NEED_PREDICATE: Final = "become feel look remain seem smell sound stay taste"
NEED_PREPOSITION: Final = """
accuse adhere aim amount aspire attribute base belong cater compensate comply consist cope deal depend derive focus
glance long look opt refer rely resort specialise specialize stare stem subscribe succumb tend
"""
TAKE_TO: Final = """
advise afford agree aim allow arrange ask attempt beg begin bother cease choose continue convince decide demand
deserve encourage expect fail force forget get happen hate help hesitate hope intend invite learn like long love
manage mean need offer order permit persuade plan prefer prepare pretend promise refuse remember remind seem start
struggle swear teach tell tend threaten train trust try urge volunteer wait want warn wish
"""
"""An infinitive may be what they need."""

TELL: Final = "advise ask assure convince inform notify persuade promise remind show teach tell warn"
"""They say whom, and then what."""
GIVE: Final = "bring buy fetch find get give grant hand lend make offer order owe pass read sell send wish"
"""Whom, and then what; or what at once."""
PLACE: Final = """
assign attach compare connect convert keep leave make mark move place put rename replace set swap switch transfer
transform turn
"""
"""What, and then where to, into what or how."""
LET: Final = "have hear help let make see watch"
"""Whom, and then a verb without "to"."""

IRREGULAR: Final = """
arise arose arisen/awake awoke awoken/babysit babysat babysat/be was been/bear bore borne/beat beat beaten/
become became become/begin began begun/bend bent bent/bet bet bet/bind bound bound/bite bit bitten/bleed bled bled/
blow blew blown/break broke broken/bring brought brought/build built built/burn burnt burnt/burst burst burst/
buy bought bought/catch caught caught/choose chose chosen/come came come/cost cost cost/creep crept crept/cut cut cut/
deal dealt dealt/dig dug dug/do did done/draw drew drawn/dream dreamt dreamt/drink drank drunk/drive drove driven/
eat ate eaten/fall fell fallen/feed fed fed/feel felt felt/fight fought fought/find found found/fit fit fit/
fly flew flown/forget forgot forgotten/forgive forgave forgiven/freeze froze frozen/get got got/give gave given/
go went gone/grind ground ground/grow grew grown/hang hung hung/have had had/hear heard heard/hide hid hidden/
hit hit hit/hold held held/hurt hurt hurt/keep kept kept/kneel knelt knelt/know knew known/lay laid laid/lead led led/
lean leant leant/learn learnt learnt/leave left left/lend lent lent/let let let/lie lay lain/light lit lit/
lose lost lost/make made made/mean meant meant/meet met met/misread misread misread/
misunderstand misunderstood misunderstood/mow mowed mown/overhear overheard overheard/oversleep overslept overslept/
overtake overtook overtaken/pay paid paid/prove proved proven/put put put/quit quit quit/read read read/
rebuild rebuilt rebuilt/redo redid redone/rerun reran rerun/reset reset reset/rewrite rewrote rewritten/
ride rode ridden/ring rang rung/rise rose risen/run ran run/say said said/see saw seen/seek sought sought/
sell sold sold/send sent sent/set set set/sew sewed sewn/shake shook shaken/shine shone shone/shoot shot shot/
show showed shown/shrink shrank shrunk/shut shut shut/sing sang sung/sink sank sunk/sit sat sat/sleep slept slept/
slide slid slid/smell smelt smelt/speak spoke spoken/spell spelt spelt/spend spent spent/spill spilt spilt/
spin spun spun/split split split/spoil spoilt spoilt/spread spread spread/stand stood stood/steal stole stolen/
stick stuck stuck/sting stung stung/stink stank stunk/strike struck struck/swear swore sworn/sweep swept swept/
swell swelled swollen/swim swam swum/swing swung swung/take took taken/teach taught taught/tear tore torn/
tell told told/think thought thought/throw threw thrown/understand understood understood/undo undid undone/
wake woke woken/wear wore worn/weave wove woven/win won won/wind wound wound/withdraw withdrew withdrawn/
write wrote written
"""
"""Base, past and participle."""

DOUBLED: Final = """
admit ban bat beg begin bet blot blur cancel chat chop clap clip commit control cut dial dig dim dip drag drip drop
equip fit flip forget fuel get grab grin hit hop hug hum jam jog kidnap knit knot label let log model mop nap nod
occur omit pack pat patrol permit pet pin plan plot plug pop prefer program put quit refer regret rip rub run scan set
ship shop shrug shut sip sit skim skip slam slap slip slot snap spin split spot star step stir stop strip submit swap
swim swot tag tap tip transfer trap travel trim trip unplug unzip upset whip win wrap zip
"""
"""Their last letter is doubled before an ending."""

MORE: Final = """
be beg bite care chew creep draw fancy flip forgive guide happen intend nail sew shoot staple sting stir suffice swear
tend text weave worry
"""
"""Others that can do without an object."""
