"""English adjectives, as far as it matters what may follow them. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

ADJECTIVES: Final = """
able abnormal absent absolute abstract absurd abundant acceptable accessible accidental accurate acoustic active
actual acute additional adequate adjacent adjustable administrative admirable adult advanced adventurous aerial
affordable afraid african aged aggressive agile alarming alcoholic alike alive allergic alone alphabetical amazing
ambitious american ample amused amusing ancestral ancient androgynous angry animated annoying annual anonymous antique
anxious apologetic appalling apparent appropriate approved approximate aquatic arabic archaic arctic argumentative
aromatic arrogant articulate artificial ashamed asian asleep aspiring assertive astonishing asymmetric atomic
atrocious attractive audible australian austrian authentic automatic autumnal available average awake aware awesome
awestruck awful awkward backward bad baked balanced bald bamboo bare barren basic bearable beautiful bedraggled beige
belated belgian believable beloved beneficial benign bent bespoke best better bewildered big bigger biggest biological
bitter bizarre black bland blank bleak blind blond blonde blue bluish blunt blurry boastful bogus boiled bold bored
boring bossy bothersome bottom bouncy boundless brand brass brave brazilian breathless breezy brief briefest bright
brighter brilliant brisk british brittle broad broken bronze brown brutal bubbly buggy bulky bumpy burly burnt
bustling busy buttery calculated callous calm canadian candid capable carbonated cardboard carefree careful careless
caring casual catalan cautious cavernous ceaseless central ceramic certain certified charitable charming charred
chatty cheap cheaper cheapest cheeky cheerful cheesy chemical chief childish childlike chilly chinese chipped choosy
choppy chronic chubby chunky circular civil classic classical claustrophobic clean cleaner clear clearer clever
cliched clinical clogged closed closer closest cloudless cloudy clueless clumsy co-operative coarse coastal coherent
cohesive cold colder coldest collapsible colorful colourful comfortable comforting comfy comic commercial common
communal compact comparable compatible competent competitive complementary complex complicated complimentary
compostable comprehensive compulsory concealed concerned concise concrete confident confidential congested conscious
considerable consistent conspicuous constant constructive contagious contemporary content contented contentious
continuous contradictory controversial convenient convincing cool cooler copper cordless corny corporate correct
corresponding corrupt cosmetic costly cosy cotton countless courageous courteous cozy cracked cramped cranky crappy
crazy creamy creative credible creepy crinkly crisp crispy critical crooked cross-country crowded crucial cruel
crumbly crunchy cryptic cuban cuddly culinary cultural cumbersome curious curly current customary cute cutting-edge
cynical czech daily dainty damaged damp dangerous danish daring dark darker dated dazzling dead deaf dear debatable
decent deceptive decisive decorative dedicated deep deeper default defective defensive definite delayed deliberate
delicate delicious delighted delirious demanding dense dental dented dependent deprecated deputy derelict descriptive
deserted desperate detachable detached detailed devastating devious devoted diabetic different difficult digestible
digital dilapidated diligent dim diplomatic direct dirty disabled disappointed disappointing disastrous discontinued
discreet disgusting dishonest disposable disputed disruptive distant distinct distinctive distressing disturbing
diverse divorced dizzy dizzying docile dodgy domestic dominant dormant dotted double doubtful dowdy downloadable
downstairs drab drafty dramatic draughty dreadful dried drinkable drizzly droopy drowsy drunk dry dual dubious due
dull dumb durable dusty dutch duty dwindling dynamic eager earlier earliest early earthy easier easiest eastbound
eastern easy eccentric ecological economic edgy edible educational eerie effective efficient effortless egyptian
eighth elastic elder elderly eldest electric electrical electronic elegant elevated eleventh eligible elusive
embarrassed embarrassing eminent emotional empty enchanting encouraging encrypted end-to-end endangered endless
energetic engaging english enjoyable enlarged enlightening enormous enough enthusiastic entire envious environmental
equal equipped equivalent erratic erroneous essential eternal ethical ethiopian european even eventual evident evil
exact excellent exceptional excessive excited exciting exclusive exhausted exhausting exhaustive existing exorbitant
exotic expandable expensive experienced expert expired explicit explosive exposed express expressive exquisite
external extinct extra extraordinary extravagant extreme exuberant fabulous faded faint fair faithful fake familiar
family-friendly famous fancy fantastic far far-fetched far-reaching farcical fascinating fashionable fast fast-paced
faster fastest fat fatal fatty faulty favorable favorite favourable favourite fearless feasible federal feeble feisty
female feverish few fewer fictional fictitious fiddly fierce fiery fifteenth fifth filthy final financial fine finest
finnish fire-resistant first first-class fiscal fishy fit fixed fizzy flaky flammable flashy flat flawed flawless
flemish flexible flimsy flippant floppy floral floury flowery fluent fluffy foggy foldable foldaway folded folding
fond foolish foreign forgetful forgettable formal former formidable forthcoming fortunate foul fourth fractured
fragile fragrant frail frantic frayed freaky freckled free free-range freelance freezing french frequent fresh fresher
freshest freshwater friendly frightened frightening frilly frosted frosty frothy frozen fruity frustrated frustrating
full full-time fun functional fundamental funky funny furious furnished furry further fussy futile future futuristic
fuzzy gaping gargantuan garlicky gaudy geeky general generic generous gentle genuine geographical georgian german
ghastly giant gifted gigantic girly glad glamorous glaring glass gleaming glitchy global gloomy glorious glossy gluten
gluten-free glutinous gnarly golden good good-looking gooey gorgeous graceful gradual grand granite grateful grave
gravelly gray greasy great greater greatest greedy greek green greenish grey grilled grim gripping gritty groggy gross
groundbreaking grown-up grubby grueling gruelling gruesome grumpy guilty gullible gutted hairy half half-empty
half-finished half-price hand-held handcrafted handmade hands-on handsome handy haphazard happier happiest happy hard
hard-boiled harder hardest hardworking harmful harmless harmonious harsh hasty haunted haywire hazardous hazy
healthier healthy heartbreaking heartfelt heartless hearty heated heavenly heavier heaviest heavy hebrew hectic hefty
helpful helpless hereditary hesitant hidden high high-end high-pitched high-quality highbrow higher highest hilarious
hilly historic historical hoarse hollow holy homely homemade homesick honest hopeful hopeless horrendous horrible
horrid horrific hostile hot hotter hottest huge human humanitarian humble humdrum humid humorous hungarian hungover
hungry hurried hybrid hydraulic hygienic hypothetical hysterical iconic icy ideal identical idiotic idle ill illegal
illegible illiterate illogical imaginary imaginative immaculate immature immediate immense imminent immune impartial
impatient impending imperfect impolite important imported imposing impossible impractical impressive impromptu
improved impulsive inaccurate inadequate inappropriate incapable incessant included incoming incompatible incompetent
incomplete inconsistent inconvenient incorrect incredible indecisive indefinite independent indian indifferent
indigenous indirect indispensable indoor industrial ineffective inefficient inevitable inexpensive inexperienced
infected inferior infinite inflatable influential informal informative infrequent inherent inhumane inner innocent
innovative insane insecure insensitive inseparable insignificant inspiring instant insufficient insulated integral
integrated intelligent intended intense intensive intentional interactive interchangeable interested interesting
interim interior intermediate intermittent internal international intimate intricate intriguing introverted intrusive
invalid invaluable invincible invisible inviting irish irrational irregular irrelevant irresistible irresponsible
irreversible irritable irritating isolated italian itchy jagged jammed japanese jaw-dropping jealous jerky jet-lagged
jittery joint jolly joyful juicy jumbo jumpy junior keen kenyan key kind kitsch knowledgeable korean laborious
labour-intensive laid-back lame laminated landlocked large large-scale larger largest last last-minute lasting late
latent later latest latin laughable lavish law-abiding lawful lazy leaded leading leafy leaky lean leather lebanese
left left-handed leftover legal legendary legible legitimate lemony lengthy lenient less lesser lethal level liable
life-size lifeless lifelike lifelong light lighter lightest lightweight like-minded likely limited limp linear lined
linen liquid literal literary little lively local lofty logical lone lonely long long-distance long-lasting long-term
longer longest loopy loose lopsided lost loud louder loudest lovely low low-cost low-fat lower lowest lowly loyal
lucky lukewarm luminous lumpy lunar luscious lush luxurious luxury macho mad magic magical magnetic magnificent main
mainstream major male malicious malnourished manageable mandatory manic manual marble marginal marine marked
marked-down married marvellous marvelous massive matching mathematical matte mature maximum meagre mean mean-spirited
meaningful meaningless meaty mechanical medical medieval mediocre meditative medium melancholic mellow melodic
memorable menacing mental merciful mere merry mesmerising messy metallic metaphorical meteoric methodical meticulous
mexican microscopic microwaveable mid mid-range middle middle-aged middle-class mighty mild military milky mindful
mindless mini miniature minimal minimalist minimum minor minus miraculous mischievous miserable misguided misleading
mismatched missing misspelled mistaken misty mixed mobile mocking moderate modern modest modular moist moldy momentary
monotonous monstrous monthly monumental moody moonlit moral moreish moroccan mossy motionless motivated motivating
motorised mouldy mountainous moving muddy multicoloured multilingual multiple mundane municipal murky muscular mushy
musical muted mutual mysterious mystical mythical naked narrow narrow-minded nasty national native natural naughty
nauseous nautical nearby nearest neat necessary needless needy negative negligible neighboring neighbouring nerdy
nerve-racking nervous net neurotic neutral new new-fangled newer newest next nice nicer nicest nifty nigerian nimble
ninth no-nonsense noble nocturnal noisy nominal non-alcoholic non-fiction non-refundable non-stop nonstop normal
northern norwegian nostalgic nosy notable noteworthy nourishing novel nuclear numb numbered numerical numerous
nutritious nutty obese oblong obscure observant obsessive obsolete obstinate obvious occasional odd offensive official
offline oily okay old old-fashioned older oldest olympic ominous one-off one-way ongoing only opaque open open-minded
open-plan operational opinionated opportunistic opposing opposite oppressive optimal optimistic optional opulent oral
orderly ordinary organic original ornate orthopaedic other outdated outdoor outer outgoing outrageous outright
outspoken outstanding outstretched oval overall overcast overcooked overcrowded overdue overheated overjoyed overnight
overpriced overrated overripe overseas oversize oversized overweight overwhelmed overwhelming overworked own packed
padded painful painless painstaking palatial pale paper paranoid part-time partial particular passable passionate
passive past pasty patchy pathetic patient patterned payable peaceful pearly peculiar pedantic pending peppery
perceptive perfect perishable perky permanent perpetual perplexed perplexing persian persistent personal peruvian
pesky petite petty phenomenal philosophical phoney photogenic physical picky picturesque pink pitch-black pitiful
pivotal placid plain planned plastic playful pleasant pleased pleasing plenty plump plush pneumatic poached poetic
poignant pointless pointy poisonous polish polite political ponderous poor popular porcelain porous portable
portuguese posh positive possible postal potential powdered powerful powerless practical pragmatic pre-cooked pre-paid
precarious precious precise predictable preferable preferred pregnant preliminary premature premium preoccupied
preparatory prepared present presentable prestigious presumptuous pretty preventable previous priceless pricey prickly
primary prime primitive printed prior private prized probable problematic productive proficient profitable profound
profuse progressive prolific prominent promising promotional prompt prone pronounced proper proposed prospective
prosperous protective proud provincial provisional prudent psychedelic psychic psychological public puffy punctual
pungent puny pure purple pushy puzzled puzzling quaint qualified quarrelsome quarterly queasy questionable quick
quick-witted quicker quickest quiet quieter quietest quirky quizzical racist radiant ragged rainy rambling rampant
rancid random rapid rare ratty ravenous ravishing raw reactionary readable ready ready-made real realistic rear
reasonable reassuring rebellious recent rechargeable reckless reclusive recognisable rectangular recurrent recurring
recycled red reddish redundant reflective refreshing refrigerated refundable refurbished regal regional regretful
regrettable regular rehearsed reinforced related relative relaxed relaxing relentless relevant reliable reliant
relieved religious reluctant remaining remarkable remorseful remote removable renewable renowned rented repeated
repetitive reputable required resealable resentful reserved residential resilient resistant resolute resounding
resourceful respectable respectful respective responsible responsive restful restless restrictive resulting retail
retired retro reusable revealing reversible revolting revolutionary rewarding rhythmic rich rickety ridiculous right
right-handed right-wing rigid ripe risky riveting roadworthy roast robust romantic roomy rosy rotary rotten rough
round rowdy royal rubber rude rugged ruined rumoured run-down runny rural russian rusty ruthless sacred sad safe safer
safest salty same sandy sarcastic satirical satisfactory satisfied satisfying savoury scalding scandinavian scarce
scared scary scatterbrained scattered scenic scented sceptical scientific scorching scottish scrambled scrappy
scratched scratchy scrawny scruffy scrumptious seamless seasonal seasoned secluded second second-hand second-rate
secondary secondhand secret secretive sectional secure sedentary seedy seething selected selective self-centred
self-conscious self-employed self-raising self-service selfish semi semi-skimmed senior sensational sensible sensitive
sensory sentimental separate serene serious serviceable seventh severe severed sexist sexy shabby shaded shady shaggy
shaky shallow shameful shameless shaped shapeless shared sharp sharper shattered sheepish sheer sheltered shifty shiny
shocked shocking short short-lived short-staffed short-tempered short-term shorter shortest showery shrewd shrill shy
sick side-splitting sightless significant silent silly silver similar simple simpler simplest simplistic simultaneous
sincere single sixth sizable sizeable sizzling skeptical sketchy skewed skilful skilled skillful skimmed skinny skint
slack slanted sleek sleepless sleepy sleety sliced slick slight slim slimy slippery slippy slipshod sloppy slow
slow-moving slower slowest sludgy slushy small small-scale smaller smallest smart smarter smelly smoggy smoked smoky
smooth smooth-running smug snappy snazzy sneaky snobbish snooty snotty snowy snug so-called soaked soaking soapy
soaring sober sociable social soft softer soggy solar sole solemn solid solvent sombre soothing sophisticated soppy
sore sorry sorted sought-after soulful soundless soundproof soupy sour southbound southern spacious spanish spare
sparkling sparse special specific spectacular speechless speedy spherical spicy spiky spineless spirited spiritual
spiteful splendid spoiled spoilt spongy spontaneous spooky sporadic sporty spotless spotty sprightly spurious squalid
square squeaky squeamish squishy stable staggered staggering stagnant staid stainless stainless-steel stale standard
standing star-studded startling starving state-of-the-art static stationary statistical statutory steadfast steady
steel steep stellar stereotypical sterile stern sticky stiff stifling still stimulating stingy stocky stodgy stolen
stony straight straightforward strained stranded strange strapless strategic streaky strenuous stressed stressful
stretchy strict strident striking stringent stringy striped stripy strong stronger strongest structural stubborn stuck
studious stuffed stuffy stumpy stunned stunning stupid sturdy stylish stylistic sublime submerged subsequent
subsidised substantial subtle suburban successful succinct succulent sudden suede sugar-free sugary suggested suicidal
suitable sulky sullen summery sumptuous sunburnt sundry sunken sunlit sunny super super-fast superb superficial
superfluous superior supernatural supersonic superstitious supplementary supportive supposed supreme sure surgical
surprised surprising surreal surrounding susceptible suspicious sustainable sustained swampy sweaty swedish sweet
sweltering swift swish swiss swollen symbolic symmetrical sympathetic synchronised synthetic systematic tacky tactful
tactical tailor-made talented talkative tall taller tallest tame tangible tangled tangy tart tasteful tasteless tasty
tatty taxable tearful technical tedious teenage temporary tempting tenacious tender tense tentative tenth tepid
terminal terrible terrific terrified terrifying thai thankful thankless theoretical therapeutic thick thicker thin
thinner third thirsty thirteenth thirtieth thorny thorough thought-provoking thoughtful thoughtless threadbare
threatening three-course thrifty thrilled thrilling throwaway thunderous ticklish tidy tight tight-fitting tighter
time-consuming timeless timely timid tiny tired tiresome tiring toasted tolerable tolerant tongue-tied toothless top
topical topless topsy-turvy torn torrential torrid tortuous total touch-sensitive touching touchy tough touristy toxic
traditional tragic tranquil transatlantic transferable translucent transparent trashy traumatic treacherous treasured
trembling tremendous trendy tribal tricky trifling trilingual trim triple triumphant trivial tropical troubled
troublesome true trusted trustworthy trusty truthful turbulent turkish twelfth twentieth two-faced two-way typical
ugly ukrainian ultimate ultra-thin unable unacceptable unaffected unanimous unattended unauthorised unavailable
unavoidable unaware unbearable unbeatable unbelievable unbroken uncanny uncertain unchanged uncharted unclear
uncomfortable uncommon unconditional unconfirmed unconscious unconvincing uncooked uncut undamaged undecided undefined
underdone underground underlying underpaid underrated understaffed understandable undisturbed uneasy uneconomical
uneducated unemployed unequal uneven uneventful unexpected unfair unfaithful unfamiliar unfinished unfit unforeseen
unforgettable unfortunate unfounded unfriendly unfurnished ungrateful unhappy unharmed unhealthy unhelpful
unidentified unimportant uninhabited unintended uninteresting uninvited unique united universal unkind unknown
unlabelled unleaded unlikely unlimited unlocked unloved unlucky unmarked unmarried unmissable unmistakable unnatural
unnecessary unnerving unnoticed unofficial unopened unorthodox unpaid unpleasant unpopular unprecedented unpredictable
unprepared unproductive unprofessional unprotected unqualified unquestionable unread unrealistic unreasonable
unrelated unreliable unresolved unresponsive unripe unrivalled unruly unsafe unsatisfactory unsavoury unscathed
unscheduled unseasonal unseen unselfish unsettled unsettling unsightly unsigned unskilled unsociable unsold
unsolicited unsolved unspeakable unspoilt unstable unsteady unsuccessful unsuitable unsupported unsure unsurpassed
unsuspecting unsweetened untamed untidy untouched untreated untrue unused unusual unwanted unwashed unwelcome unwell
unwilling unwise unwitting unworkable unworthy up-to-date upbeat upcoming uphill uplifting upmarket upper uppercase
upright upset upstairs uptight urban urgent used useful useless user-friendly usual utmost utter vacant vague valiant
valid valuable variable various vast vegan vegetarian velvet vengeful venomous ventilated verbal verbose versatile
vertical vexed viable vibrant vicious victorious vietnamese vigilant vigorous vile villainous vindictive vintage
violent virtual virtuous viscous visible visual vital vivacious vivid vocal vocational volatile volcanic voluntary
voracious vulgar vulnerable waiting walk-in wall-mounted warm warm-hearted warmer warmest warped wary washable
wasteful water-resistant waterproof watertight watery wavy wayward weak wealthy wearable weary weathered weekly
weighty weird welcome welcoming well-behaved well-being well-built well-cooked well-done well-known well-lit well-made
well-off well-paid welsh westbound western wet whimsical whiny white white-hot whole wholehearted wholemeal wholesale
wholesome wicked wicker wide wide-ranging wider widespread wild wilful willing wilted windproof windswept windy
winning wintry wireless wiry wise wishful wistful withdrawn witty wobbly woeful wonderful wonky wooden woolen woollen
woolly wordy work-related workable working world-class world-famous worldly worldwide worm-eaten worn worried
worrisome worrying worse worst worth worthwhile worthy wounded wrecked wretched wriggly wrinkled wrinkly wrong yearly
yeasty yellow young younger youngest youthful yucky yummy zany zealous zesty zippy
"""
"""A noun follows them where an article stands before them."""

ALSO_NOUNS: Final = """
african american australian austrian back belgian best bigger biggest black blue bottom brass brightest brown canadian
ceramic cheaper cheapest closest common cool current daily dark dead deep double due eighth elder elderly eldest
electric eleventh extreme family-friendly fastest fat favorite favourite fifteenth fifth first fit following former
fourth front full fun gray green grey high homeless hot ideal kind larger largest last latest latter left linen little
long low main major middle military minus nearest newest next ninth normal odd okay older oldest only open opposite
other overall own particular pink plain poor positive premium pretty previous primary private purple quietest random raw
red regular retail rich right roast round same second set seventh short sick single sixth smaller smallest static still
straight super teenage tenth third thirteenth thirtieth top transparent triple twelfth twentieth underground unknown
upper upstairs usual veg vintage wet white whole wild worse worst wrong yellow younger youngest
"""
"""Of those, the ones that can be the end of what is named ("on the left", "the blue")."""

NOUNS_TOO: Final = """
adult alternative arabic archive average bamboo blank brief british bronze capital cardboard chemical chief chinese
classic cold comic concrete content copper cotton czech danish default deputy detective dutch duty elastic english
equivalent evil executive expert express extra female final finnish flat french future general german giant glass gold
granite greek half hebrew hungarian individual initial interior irish italian japanese joint junior key korean latin
leather level light liquid local magic male manual marble maximum medium minimum minor mobile musical native negative
net night norwegian novel official original outside oval paper past patient plastic polish porcelain portuguese
potential present public quiet relative remote representative rubber russian secret senior silver spanish square
standard steel swedish sweet terminal thai total turkish variable vegan vegetarian velvet welsh western
"""
"""Adjectives that are as often nouns."""

SIDES: Final = """
back bottom dark double eighth eleventh fifteenth fifth first following former fourth front latter left middle ninth
open other right same second seventh sick sixth tenth third thirteenth thirtieth top twelfth twentieth whole wild
"""
"""With a preposition and "the" before them nothing is missing ("on the left", "at the back", "in the dark")."""

PREDICATES: Final = """
afraid alive allergic alone angry asleep available awake barking better blocked boiling bored broke broken burning
busted busy canceled cancelled charged cheaper clean clogged closed cold cracked crying dead delayed delighted dirty
divorced done drunk due dying early empty engaged faulty filthy fine finished fixed flooded free freezing frozen full
furious gone gutted happy here home hot hungry ill jammed knackered late leaking locked loose lost married melting
missing open out-of-order overdue poorly pregnant ready right ringing ruined running sad safe scared shut sick soaked
soaking sold sore sorted stuck sure thirsty thrilled tired unavailable unlocked unwell upset wet worse wrong
"""
"""Adjectives that say how somebody is, rather than which one is meant."""
