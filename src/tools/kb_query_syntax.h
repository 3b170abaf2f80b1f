// The page that kb_query shows who does not know JSONata.
#pragma once

#include <string_view>

namespace helve::tools {

constexpr std::string_view kQuerySyntax =
    R"(JSONata in short. $ is the document; for a list most things happen to each item.

paths       name   order.customer.name   `odd name`   *   **.id (at any depth)   %.id (of the parent)
items       $[0]   $[-1]   $[[0..9]]   items[0]   (a.b)[0]: of all together
filters     $[amount > 100]   $[status = "open" and total < 5]   $["red" in tags]   $[name ~> /^A/i]
pluck       $.name   $.{"id": id, "who": customer.name}   $.[id, total]
sort        $^(created)   $^(>created, name)   $^(>created)[[0..9]]: the ten newest
group       ${customer: $sum(amount)}   ${ $substring(ts,0,10): $count($) }
distinct    $distinct(customer)   $count($distinct(customer))
numbers     $sum(amount)  $max(x)  $min(x)  $average(x)  $round(x,2)  $number("5")  + - * / %
text        a & " " & b   $substring(s,0,10)  $contains(s,"x")  $split(s,",")  $join(list,", ")
            $uppercase(s)  $trim(s)  $replace(s,/x+/,"y")  $match(s,/a(b)/)  $string(x)  $length(s)
lists       $count(x)  $append(a,b)  $reverse(x)  $sort(x,function($a,$b){$a>$b})  [1..5]
objects     $keys($)  $lookup($,"key")  $merge([a,b])  $each($,function($v,$k){...})  $sift(...)
functions   $map(x,function($v){$v*2})  $filter(x,function($v){$v>1})  $reduce(x,function($a,$b){$a+$b})
conditions  total > 100 ? "big" : "small"   $exists(x)   a ?: b   a ?? b
variables   ($big := $[amount > 100]; {"count": $count($big), "sum": $sum($big.amount)})
joins       orders@$o.items@$i[$i.id = $o.item].{"order": $o.id, "item": $i.name}   items#$n.{"n": $n}
times       $toMillis("2026-01-31")   $fromMillis(ts)   $fromMillis(ts,"[Y0001]-[M01]-[D01]")   $now()
)";

}  // namespace helve::tools
