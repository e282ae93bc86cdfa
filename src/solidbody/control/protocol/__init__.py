"""The protocol between simulator and controllers: every message as a dataclass with typed fields.

A frame is its length in bytes (U32), the number of its message (U16) and the message's fields, as
`protocol.fields` tells. A program greets with `Hello`, is let in with `Welcome`, and then sends `Turn`s,
each answered by an `Answer` or, if it asks for a step, a `StepAnswer`; a `Refusal` ends it. A program that
can map the memory that the `Welcome` names may leave frames there (`control/client/solidbody_mailbox.py`).

Encoders and decoders are made from this description: after a change run `python -m tools.make_protocol`,
which writes `control/client/solidbody_protocol.py` (both sides use it) and `docs/wire.md`.
"""

from solidbody.control.protocol.bodies import *  # noqa: F403
from solidbody.control.protocol.devices import *  # noqa: F403
from solidbody.control.protocol.facts import *  # noqa: F403
from solidbody.control.protocol.fields import MESSAGES as MESSAGES
from solidbody.control.protocol.fields import Message as Message
from solidbody.control.protocol.fields import members as members
from solidbody.control.protocol.frames import *  # noqa: F403
from solidbody.control.protocol.supervisor import *  # noqa: F403
