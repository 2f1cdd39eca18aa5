"""English adjectives and nouns, as far as it matters what may follow them. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

ADJECTIVES: Final = """
able absent absolute abstract absurd acceptable accurate acoustic active actual acute adequate adjacent adult advanced
adventurous afraid african aged aggressive alarming alcoholic alive allergic alone amazing ambitious american ample
amusing ancient angry annoying annual anonymous anxious apparent appropriate approximate arabic arctic artificial
ashamed asian asleep atomic attractive australian austrian automatic autumnal available average awake aware awful
awkward bad baked bald bamboo bare basic beautiful beige belgian beloved bent best better big bigger biggest bitter
bizarre black bland blank bleak blind blond blonde blue blunt blurry bold bored boring bossy bottom brand brass brave
brazilian brief briefest bright brighter brilliant british broad broken bronze brown bumpy burnt busy calm canadian
capable cardboard careful careless casual catalan central ceramic certain cheap cheaper cheapest cheeky cheerful
cheesy chemical chief chilly chinese chubby chunky civil classic classical clean cleaner clear clearer clever closed
closer closest cloudy clumsy coastal cold colder coldest colorful colourful comfortable comfy comic commercial common
compact comparable complex complicated comprehensive compulsory concerned concrete confident confidential conscious
considerable consistent constant contemporary content continuous controversial convenient cool cooler copper corporate
correct cosmetic costly cosy cotton cozy cracked crazy creamy creative creepy crisp crispy critical crooked crowded
crucial cruel crunchy cryptic cuban cultural curious curly current cute czech daily damaged damp dangerous danish dark
darker dead deaf dear decent decorative deep deeper default definite delayed delicate delicious delighted dense dental
dependent deputy desperate detailed different difficult digital dim direct dirty disabled disappointed disappointing
distant distinct diverse divorced dizzy domestic dominant double doubtful downstairs drab dramatic dreadful drunk dry
dual due dull dumb durable dusty dutch duty eager earlier earliest early easier easiest eastern easy economic edible
educational effective efficient egyptian eighth elastic elder elderly eldest electric electrical electronic elegant
eleventh eligible embarrassing emotional empty endless english enormous enough entire environmental equal equivalent
essential eternal ethical ethiopian european even eventual evil exact excellent excessive excited exciting exclusive
exhausted exhausting existing exotic expensive experienced expert explicit express external extra extraordinary
extreme fabulous faint fair fake familiar family-friendly famous fancy fantastic far fascinating fast faster fastest
fat fatal faulty favorite favourite federal female few fewer fifteenth fifth final financial fine finest finnish first
fit fixed fizzy flaky flat flemish flexible fluent fluffy foggy folded folding fond foolish foreign formal former
forthcoming fortunate fourth fragile free freelance french frequent fresh fresher freshest friendly frightened
frightening frozen frustrated frustrating full fun funky funny furry further fussy future fuzzy general generic
generous gentle genuine georgian german giant gifted glad glass global gloomy glossy gluten golden good gorgeous
gradual grand granite grateful grave gray greasy great greater greatest greedy greek green grey grim gross grubby
grumpy guilty gutted half handmade handsome handy happier happiest happy hard harder hardest harmful harmless harsh
haunted healthier healthy hearty heavier heaviest heavy hebrew helpful helpless hidden high higher highest hilarious
historic historical holy homemade honest hopeful hopeless horrible hot hotter hottest huge human humble humid
hungarian hungry hydraulic icy ideal identical ill illegal immediate immense impatient imperfect important imported
impossible impressive improved inaccurate included incorrect incredible independent indian indoor industrial
inexpensive infected infinite informal inner innocent instant insulated intelligent intense interactive interested
interesting interim interior intermediate internal international invalid invisible irish irregular isolated italian
itchy japanese jealous joint joyful juicy junior keen kenyan key kind korean lame large larger largest last lasting
late later latest latin lazy leading leafy leaky lean leather lebanese left legal lengthy less lesser level liable
light lighter lightest likely limited linear linen liquid literal little lively local logical lone lonely long longer
longest loose lost loud louder loudest lovely low lower lowest loyal lucky lukewarm lumpy lunar mad magic magical main
major male mandatory manual marble marine marked married massive mature maximum mean medical medieval medium mere
messy metallic mexican mid middle middle-aged mild military mini miniature minimal minimum minor minus miserable
missing mixed mobile moderate modern modest moist moldy monthly moral moroccan motorised mouldy moving muddy multiple
municipal muscular musical mutual mysterious naked narrow nasty national native natural naughty nearby nearest neat
necessary negative nervous net neutral new newer newest next nice nicer nicest nigerian ninth noble noisy non-stop
nonstop normal northern norwegian nosy notable novel nuclear numb numerous obese obscure obvious occasional odd
offensive official offline okay old old-fashioned older oldest olympic only open opposite optimal optional oral
ordinary organic original orthopaedic other outdoor outer outgoing outstanding oval overall overdue overnight overseas
oversized own packed painful pale paper partial particular past pathetic patient peaceful peculiar pending perfect
permanent persian persistent personal peruvian petty physical pink plain planned plastic pleasant pleased plenty plush
pointless pointy polish polite political poor popular porcelain portable portuguese posh positive possible potential
powerful practical precious precise pregnant premium prepared present pretty previous pricey primary prime printed
prior private probable professional profound prominent prompt proper proud provisional psychic public pure purple
quarterly quick quicker quickest quiet quieter quietest random rapid rare raw ready real realistic reasonable recent
reckless rectangular recurring red redundant refundable refurbished regional regular related relative relaxed relaxing
relevant reliable religious reluctant remaining remarkable remote removable rented repeated residential respective
responsible resulting retail retired retro reusable rich ridiculous right rigid ripe risky roast robust romantic
rotten rough round royal rubber rude rural russian rusty sacred sad safe safer safest salty same sandy satisfied
savoury scandinavian scary scenic scientific scottish scratched second second-hand secondary secondhand secret secure
selected selfish semi senior sensible sensitive separate serious seventh severe shabby shaky shallow shaped shared
sharp sharper shiny shocked shocking short shorter shortest shy sick significant silent silly silver similar simple
simpler simplest sincere single sixth skilled skinny sleepy slight slim slimy slippery sloppy slow slower slowest
small smaller smallest smart smarter smelly smoked smooth snowy so-called soaked sober social soft softer solar sole
solid sophisticated sore sorry soundproof sour southern spacious spanish spare sparkling special specific spicy
splendid spontaneous square stable stainless stale standard standing starving static steady steel steep sticky stiff
still stolen straight straightforward strange strict striking striped stripy strong stronger strongest stubborn stuck
stupid sturdy stylish subsequent substantial subtle successful sudden suitable sunny super superb superior supreme
sure surgical surprised surprising suspicious sustainable sweaty swedish sweet swiss swollen symbolic sympathetic
synthetic tall taller tallest tame tasty technical teenage temporary tender tense tenth terminal terrible terrific
thai thankful theoretical thick thicker thin thinner third thirsty thirteenth thirtieth thorough tidy tight tighter
tiny tired tiring toasted top total touching tough toxic traditional tragic transparent tremendous tricky trim triple
tropical true turkish twelfth twentieth typical ugly ukrainian ultimate unable unaware uncomfortable underground
understandable unexpected unfair unfortunate unhappy unhealthy unique united universal unknown unlikely unlimited
unnecessary unpleasant unread unsure unused unusual unwell upcoming upper upset upstairs urban urgent used useful
useless usual utter vacant vague valid valuable variable various vast vegan vegetarian velvet verbal vertical viable
vibrant vietnamese vintage virtual visible visual vital vivid vulnerable waiting warm warmer warmest wary washable
waterproof watery wavy weak wealthy weary wee weekly weird welcome welsh western wet white whole wicked wicker wide
wider wild willing windy winning wireless wise wonderful wooden woolen woollen woolly working worldwide worn worried
worse worst worth worthwhile worthy wrong yearly yellow young younger youngest yummy
"""
"""A noun follows them where an article stands before them."""

ALSO_NOUNS: Final = """
adult african american arabic australian austrian average back bamboo belgian best bigger biggest black blank blue
bottom brass brief brightest british bronze brown canadian capital cardboard ceramic cheaper cheapest chemical chief
chinese classic closest cold comic common concrete content cool copper cotton current daily danish dark dead deep
default double due dutch eighth elastic elder elderly eldest electric eleventh english equivalent evil expert express
extra extreme family-friendly fastest fat favorite favourite female fifteenth fifth final first fit flat following
former fourth french front full fun future general german giant glass gold granite gray greek green grey half handful
hebrew high homeless hot ideal individual initial interior irish italian japanese joint junior key kind korean larger
largest last latest latin latter leather left level light linen liquid little local long low magic main major male
manual marble maximum medium middle military minimum minor minus mobile native nearest negative net newest next night
ninth normal novel odd official okay older oldest only open opposite original other outside oval overall own paper
particular past patient pink plain plastic polish poor porcelain portuguese positive potential premium present pretty
previous primary private public purple quiet quietest random raw red regular relative remote retail rich right roast
round rubber russian same second secret senior set seventh short sick silver single sixth smaller smallest spanish
square standard static steel still straight super sweet teenage tenth terminal thai third thirteenth thirtieth top
total transparent triple twelfth twentieth underground unknown upper upstairs usual variable veg vegan vegetarian
velvet vintage welsh wet white whole wild worse worst wrong yellow younger youngest
"""
"""Of those, the ones that can be the end of what is named ("on the left", "the blue")."""

NOUNS_TOO: Final = """
adult alternative arabic archive average bamboo blank brief british bronze capital cardboard chemical chief chinese
classic cold comic concrete content copper cotton czech danish default deputy detective dutch duty elastic electric
english equivalent evil executive expert extra female finnish flat french future general german giant glass gold
granite greek half hebrew hungarian individual initial interior irish italian japanese joint junior key korean latin
leather level light liquid local magic male manual marble maximum medium minimum minor mobile native negative net
night norwegian novel official original outside oval paper past patient plastic polish porcelain portuguese potential
present public quiet relative remote representative rubber russian secret senior silver spanish square standard steel
swedish sweet terminal thai total turkish variable vegan vegetarian velvet welsh
"""
"""Adjectives that are as often nouns."""

SIDES: Final = """
average back bottom cold dark day double eighth eleventh end fifteenth fifth first following former fourth fridge
front future inside latter left maximum middle minimum night ninth open other outside past present public right same
second seventh sick side sixth tenth third thirteenth thirtieth top twelfth twentieth weekend whole wild
"""
"""With a preposition and "the" before them nothing is missing ("on the left", "at the back", "in the dark")."""

PERSONS: Final = """
accountant agent assistant aunt auntie baby babysitter bank boss boy boyfriend bride brother builder buyer candidate
captain carer caretaker cat caterer chef child children class cleaner client coach colleague colleagues committee
company council couple cousin cousins crew customer customers dad daddy daughter dentist director doctor dog driver
editor electrician employee everybody everyone family father folks friend friends gardener girl girlfriend goddaughter
godfather godmother godson gran grandad granddad granddaughter grandfather grandma grandmother grandpa grandparents
grandson guest guests guy guys hospital host husband intern janitor kid kids lady landlady landlord lawyer librarian
lodger lot mailman manager managers mate mates mechanic men mom mommy mother mum mummy nan nanny neighbor neighbors
neighbour neighbourhood neighbours nephew niece nurse office others owner parent parents partner people person
pharmacist physio plants plumber police postman principal professor realtor receptionist recruiter roommate school
sister sisters somebody someone son staff stepdad stepdaughter stepfather stepmother stepmum stepson student students
supplier surgeon teacher teachers team tenant tenants therapist twins uncle vet visitor visitors waiter wife woman
women
"""
"""Who is told, asked or given something."""

STRONGLY_FIRST: Final = """
accounting aisle almond baking barley billing boarding brake camping carbon chopping coconut contact cough credit
debit debug departure dining driving emergency energy ethernet expiry fire frying guest hdmi hiking identity income
ironing kidney lentil living loyalty lung mailing maple marketing oat olive peanut pension production safety sales
savings sesame sewing shopping sign-in sign-up sleeping smoke solar sourdough soy swimming tooth tracking tumble usb
utility vacuum walking washing
"""

TIMES: Final = """
abroad afterwards again ago ahead already always anyway anywhere apart april aside august away back backwards daily
december downstairs early either everywhere fast february forever forward forwards friday fridays hard here home
inside instead january july june late later lunchtime maybe midnight monday mondays monthly never noon november now
nowhere october offline often once online otherwise outside overnight perhaps please saturday saturdays september
sideways sometimes somewhere soon still straight sunday sundays teatime thanks then there tho though thursday
thursdays today together tomorrow tonight too tuesday tuesdays twice upstairs usually wednesday wednesdays weekly
yearly yesterday yet
"""
"""They say when, where or how by themselves."""

TIME_NOUNS: Final = """
afternoon afternoons april august autumn century christmas day days decade december easter evening evenings february
friday hour hours january july june march may minute minutes moment monday month months morning mornings night nights
november october quarter saturday season seconds september spring summer sunday term thursday time times tuesday
wednesday week weekend weekends weeks winter year years
"""

NOUNS: Final = """
access accounting actress address adjective ally alternative animal anomaly anything approval archive arctic
arithmetic arrival artist assembly attic banking beast bed beginning being belly billy booking boss breakfast briefing
brolly brush building bully business butterfly cable camping capital ceiling cheese chest class cleaning clinic
clothing coast coating comic congress contest cooking cooler cosmetic cost criminal cross crossing cycling darkness
darling deal dentist detective dietician dish dive drawing dress dressing drive dryer duckling dumpling earring east
electrician emily ending engineering english ethic evening everything executive fabric family fan farming feast feed
feeling festival filling finding finish fish fishing fitness fitting five flooring fly folly forest funeral gardening
garlic gathering ghost glass goal goldfish graphic grass greeting ground guardian guest gully handful harvest hearing
heating herring hive holly homily hospital host housing icing illness incentive individual initiative interest
interval italian italy jelly journal july kelly kindness king knitting landing librarian lighting lightning lily list
listing logic lolly loss magic magician man manual marketing material mattress meal mechanic medal meeting mess metal
mineral molly monopoly morning mosaic motive music musician narrative native need nest nothing objective offering
olive opening optician optimist outing painting pan panic parish parking pass pedestrian perspective physician picnic
plan plastic plumbing polish politician polly post press priest princess principal process professional proposal
protest public pudding quest radish railing rally ranking rating reading reasoning recording referral refusal
rehearsal relative relic removal renewal rental reply representative republic request rest ring rose rubbish running
sally saying screening seasoning seed setting shed shopping shot sibling sicily signal something spanish specialist
speed spelling spoonful spring stable stocking stress string stuffing success supply survival swimming table tally
technician telly terminal test thing timing toast topic topping total tourist traffic training trial trolley tutorial
understanding van variable vegetable vegetarian viewing waist waitress warning wedding weed west wilderness wing
wiring wish withdrawal witness woman
"""
"""They look like something else."""

PLURALS: Final = "children feet folk geese grandchildren men mice parents people police teeth women"
PREDICATES: Final = """
afraid alone angry asleep awake away back broken busy closed cold dead done down drunk dying early empty fine finished
full gone happy here home hot hungry ill late loose lost missing off on open out ready right sad sick sold sore stuck
there tired up upset wet wrong
"""
"""Adjectives that say how somebody is, rather than which one is meant."""
