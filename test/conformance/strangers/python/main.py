"""`main.py --list` prints what there is, and `main.py NAME` starts one and prints its port."""
import json
import sys

import defects  # noqa: F401
import odd  # noqa: F401
from http_handler import listen
from registry import strangers

if sys.argv[1] == '--list':
    print(json.dumps([{'name': name, **facts} for name, (facts, _) in strangers.items()]))
else:
    print(listen(strangers[sys.argv[1]][1]), flush=True)
    sys.stdin.read()  # ends with whoever started it
