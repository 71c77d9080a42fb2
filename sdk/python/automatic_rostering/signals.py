"""Exceptions of signal handlers, which Python runs in the main thread, between any two of its steps."""


def of_handler(error: BaseException) -> BaseException | None:
    """Return the exception that a signal handler raised, if that is an error or what it was made of.

    Python calls a handler with the frame that it interrupts, which is the one before the handler's in the traceback.
    """
    part: BaseException | None = error
    while part:
        frame, before = part.__traceback__, None
        while frame:
            passed = frame.tb_frame.f_locals.values()
            if before and any(before is value or (isinstance(value, tuple) and before in value) for value in passed):
                return part
            before, frame = frame.tb_frame, frame.tb_next
        if isinstance(part, KeyboardInterrupt):  # of Python's own handler, which has no frame
            return part
        part = part.__cause__ or part.__context__
    return None
