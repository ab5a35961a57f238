-- Give up a turn that was waited for.
turns.leave(arguments.account, arguments.id)
turns.tell_next(arguments.account)
return cmsgpack.pack({left = true})
