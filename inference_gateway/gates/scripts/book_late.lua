-- Book settlements that reached the api's database after the sums of this ledger were read there. Another epoch has them.
if epoch == arguments.epoch then
  for _, each in ipairs(arguments.late) do budget.book(each.budgets, each.amount) end
end
return cmsgpack.pack({booked = epoch == arguments.epoch})
