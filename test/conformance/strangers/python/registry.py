"""The strangers in Python, by name."""

strangers = {}


def defect(name, what, rule, shows, **declare):
    """One defect; `shows` is a pattern for what a message has to mention."""
    return _add(name, {'verdict': 'broken', 'what': what, 'rule': rule, 'shows': shows, 'declare': declare})


def warning(name, what, rule, shows, **declare):
    """What the rules leave open, or what from outside can only be guessed: worth a warning that `shows` matches."""
    return _add(name, {'verdict': 'warned', 'what': what, 'rule': rule, 'shows': shows, 'declare': declare})


def odd(name, what, **declare):
    """Unusual, and still within the rules."""
    return _add(name, {'verdict': 'right', 'what': what, 'declare': declare})


def _add(name, facts):
    def register(connector):
        assert name not in strangers, name
        strangers[name] = (facts, connector)
        return connector

    return register
