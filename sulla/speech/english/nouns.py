"""English nouns, as far as it matters what may follow them. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

PERSONS: Final = """
accountant actor actress admin admins agent analyst analysts apprentice architect assistant attendant attendee
attendees attorney auditor auditors aunt auntie aunty author baby babysitter baker bank banker barber barista barman
barrister bartender beautician bellboy blogger bloke bookkeeper boss boy boyfriend bricklayer bride bro broker brother
buddy builder butcher buyer cabbie candidate captain cardiologist carer caretaker carpenter cashier cat caterer cats
ceo cfo chairman chairperson chairwoman chap chauffeur chef child children citizen class classmate classmates cleaner
clerk client coach coaches colleague colleagues committee company concierge consultant consultants contractor
contractors council counsellor counselor couple courier cousin cousins crew cto curator customer customers dad daddy
daughter dealer dean decorator dentist dermatologist designer designers developer developers dietitian director doctor
doctors dog dogs donor driver drummer dude editor electrician employee employees employer employers engineer engineers
everybody everyone family father fiance fiancee firefighter fireman flatmate florist folks freelancer friend friends
gardener gentleman girl girlfriend goalkeeper goddaughter godfather godmother godson governor gp gran grandad granddad
granddaughter grandfather grandkids grandma grandmother grandmum grandpa grandparents grandson granny grocer guard
guards guest guests guide guitarist guy guys hairdresser handyman headmaster headmistress headteacher hospital host
hostess housemate hubby husband hygienist infant inspector instructor insurer intern interns investor investors
janitor joiner journalist judge juror kid kids kitten lad ladies lads lady landlady landlord lass lawyer lecturer
lender librarian lodger lot mailman manager managers masseuse mate mates mayor mechanic men midwife milkman minister
missus moderator mom mommy mother mum mummy musician nan nana nanny neighbor neighbors neighbour neighbourhood
neighbours nephew newborn niece nobody nurse nurses nutritionist office officer officers opponent optician organiser
organisers organizer organizers orthodontist others owner paediatrician pal pals panelist paramedic parent parents
partner passenger passengers pediatrician people person pharmacist photographer physio plants plasterer player players
plumber police postie postman presenter president principal professor psychiatrist psychologist pupil pupils puppy
realtor receptionist recruiter rector referee reporter researcher researchers reseller resident residents roofer
roomie roommate roommates school schoolmate scientist secretary senator shareholder shareholders singer sis sister
sisters soldier solicitor somebody someone son speaker speakers specialist sponsor sponsors staff stakeholder
stakeholders stepdad stepdaughter stepfather stepmother stepmum stepson steward stewardess stranger striker student
students subtenant supplier surgeon sysadmin teacher teachers team teammate teammates teenager tenant tenants tester
testers therapist tiler toddler tourist tourists trainee trainer traveler travellers treasurer tutor twin twins umpire
uncle vendor vendors vet vice-president visitor visitors volunteer volunteers voter waiter waitress warden wife
witness woman women writer
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
abroad afterwards again ago ahead already always anticlockwise anyway anywhere apart april ashore aside august away
back backwards clockwise daily december downhill downstairs early either else everywhere fast february first-thing
forever forward forwards friday fridays halfway hard here home indoors inland inside instead january july june late
later lunchtime max maybe midnight midway monday mondays monthly never noon november now nowhere october offline often
once online otherwise outdoors outside overhead overnight perhaps please saturday saturdays september sideways someday
sometimes somewhere soon sooner still straight sunday sundays teatime thanks then there tho though thursday thursdays
today together tomorrow tonight too tops tuesday tuesdays twice underfoot uphill upstairs usually wednesday wednesdays
weekly yearly yesterday yet
"""
"""They say when, where or how by themselves."""

TIME_NOUNS: Final = """
afternoon afternoons april august autumn century christmas day days decade december easter evening evenings february
friday hour hours january july june march may minute minutes moment monday month months morning mornings night nights
november october quarter saturday season seconds september spring summer sunday term thursday time times tuesday
wednesday week weekend weekends weeks winter year years
"""

NOUNS: Final = """
access accounting acting actress adapter additive address adhesive adjective ally alternative animal anomaly answer
anything approval archive arctic arithmetic armful arrival artist assembly attic awning babysitting banking barking
beast bed bedding beginning being belly billing billy blessing booking boss bowling boxing breakfast breed briefing
brolly brush budgeting building bully business butterfly cable camping capital carving catering ceiling chapter
charger cheese chest cladding class cleaning clinic clipping clothing coast coating coding comic congress contest
cooking cooler cosmetic criminal cross crossing cucumber cupful cutting cycling dancing darkness darling deal december
decking dentist detective dietician disaster dish dive drawing dress dressing drive dryer duckling dumper dumpling
earful earring east electrician emily ending engineering english ethic evening everything executive fabric family fan
farming feast feed feeder feeling fencing festival filling filter finding finish fish fishing fitness fitting five
flooring fly folly forest frosting funding fundraising funeral gaming gardening garlic gathering ghost glass goal
goldfish graphic grass greeting ground guardian guest gully gutter guttering handful harvest heading hearing heating
herring hive holly homily hospital host hosting housing icing illness incentive individual initiative interest
interval italian italy jelly journal july kelly kindness king knitting label landing laughing learning leaving
librarian lighter lighting lightning lily lining list listing locomotive logic lolly loss magic magician man manual
marketing marking material matting mattress meal mechanic medal meeting mess metal mineral molly monitor monitoring
monopoly mooring morning mosaic motive mouthful music musician narrative native need nest netting networking noise
nothing number objective october offering olive opening optician optimist order outing packaging padding painting pan
panic parenting parish park parking pass pedal pedestrian perspective physician picnic piping plan plant plastic
plumbing polish politician polly post posting press pricing priest princess principal process professional programming
progress proposal protest public pudding quarter quest racing radish railing rally ranking rating reading reasoning
recording recycling referral refusal register rehearsal relative relic removal renewal rental reply representative
republic request rest riding ring roofing rose rubbish ruling running sally savings saying scaffolding scheduling
schooling screaming screening seasoning seed seedling serving setting shaving shed shopping shot shouting shower
shutter sibling sicily siding sightseeing signal singing skiing slipper snoring something spacing spanish specialist
speed spelling spoonful spring stable starter stocking streaming stress string stuffing success supply surfing
survival sweater swimming swing syllable table tally teaching technician telly terminal test thing timing toast topic
topping total tourist traffic train training trial trolley tubing tutorial tutoring typing understanding van variable
vegetable vegetarian viewing volunteer voucher waist waitress warning watch wedding weed welly west wilderness wing
wiring wish withdrawal witness woman wrapping writing
"""
"""They look like something else."""

PLURALS: Final = "children feet folk geese grandchildren men mice parents people police teeth women"
