"""Questions to the corpus beside this file: a roaster's handbook of 300 sections."""

from __future__ import annotations

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

ANSWERED: dict[str, str] = {
    "How many days do I have to send something back that I bought in the web shop?": "returns.md > Period",
    "When do I get my money back after a return?": "returns.md > Refund time",
    "Can I return opened bags of beans?": "returns.md > Opened coffee",
    "My machine arrived damaged, what do I do?": "returns.md > Damaged on arrival",
    "From what basket value is shipping free?": "shipping.md > Postage",
    "Do you deliver to parcel lockers?": "shipping.md > Parcel lockers",
    "How much longer does delivery to Sardinia take?": "shipping.md > Islands",
    "How long is the warranty of an espresso machine?": "warranty.md > Length",
    "Does opening the boiler void the warranty?": "warranty.md > Own repairs",
    "Is limescale damage covered by the warranty?": "warranty.md > Limescale",
    "Can I pay in monthly instalments?": "payments.md > Instalments",
    "Why was my card charged twice? I see a second charge.": "payments.md > Double charges",
    "Can I use two discount codes on one order?": "payments.md > Discount codes",
    "I forgot my password, how do I reset it?": "accounts.md > Forgotten password",
    "When do loyalty points lapse?": "accounts.md > Loyalty points",
    "Which way do I turn the collar for a finer grind?": "grinder.md > Grind size",
    "The grinder hums without grinding": "grinder.md > Jam",
    "How much does the hopper of the grinder hold?": "grinder.md > Hopper",
    "What brewing temperature can I set on the Aurora?": "espresso-machine.md > Temperature",
    "Which part is the worn group gasket that drips?": "espresso-machine.md > Leaking group",
    "What does E3 on the kettle's display mean?": "kettle.md > Display faults",
    "What temperature is right for green tea?": "kettle.md > Target heat",
    "May I descale with vinegar?": "cleaning.md > Descaling",
    "How often should I do backflushing with detergent?": "cleaning.md > Backflushing",
    "How many litres does a filter cartridge last?": "water-filters.md > Cartridge life",
    "Are black particles in the first tank harmful?": "water-filters.md > Black particles",
    "For how many years are parts available after a model is discontinued?": "spare-parts.md > Availability",
    "Do I get a loan machine during a warranty repair?": "repairs.md > Loan machine",
    "For how long can I pause my coffee subscription?": "subscriptions.md > Pausing",
    "Until when is a gift card valid?": "gift-cards.md > Expiry",
    "After how many days are invoices of business customers due?": "business-customers.md > Payment terms",
    "For how long are support chats retained?": "privacy.md > Retention",
    "Which ports have to be open in the firewall?": "connectivity.md > Ports",
    "How do I install firmware from a USB stick?": "firmware.md > By USB stick",
    "Which kettles were recalled in 2023?": "safety-notices.md > Recall of 2023",
    "What are the opening hours of the Graz store?": "stores.md > Graz",
    "How many days of holiday do full-time staff have?": "staff-leave.md > Holiday entitlement",
    "What does a night in a hotel in Zurich may cost?": "staff-expenses.md > Hotels",
    "How quickly must a page be acknowledged?": "on-call.md > Reaction",
    "How often is the status page updated in an incident?": "incidents.md > Status page",
}
"""Each with the file and the heading of the section that answers it."""

UNANSWERED = (
    # About something else altogether.
    "Who won the world cup in 1990?",
    "How do I change the oil of a diesel engine?",
    "What is the capital of Mongolia?",
    "Write me a poem about the sea in autumn",
    "How do vaccines train the immune system?",
    "Which visa do I need for Vietnam?",
    "How tall is Mount Everest?",
    "Explain the theory of relativity",
    "What is a good recipe for lentil soup?",
    "My dog has fleas, which shampoo helps?",
    # Near to what there is, and yet not there.
    "Do you ship to Australia by sea freight?",
    "Can I pay with Bitcoin or another cryptocurrency?",
    "Does the grinder come in turquoise?",
    "Who is the managing director of Tessaro?",
    "Is there a student discount for teachers?",
    "When does the store in Vienna open?",
    "Does the kettle whistle when it boils?",
    "How much is the pension contribution for employees?",
    "Does the app run on a Windows laptop or a smartwatch?",
    "Which insurance covers theft from the parcel locker?",
)
