#include "jsonata/syntax.h"

namespace helve::jsonata {

std::string_view syntax_page() {
  return R"(JSONata in brief. An expression is evaluated on the document; what it does not find is left out.

PATHS      a.b.c goes through arrays and flattens; one match is the value itself, none is nothing
           `a name`  quoted name      *  all members      **  all descendants      %  parent
           $  context      $$  whole document      a[]  an array even of one
SELECT     a[0]  a[-1]  a[[0..4]]  by position      a[price > 10 and kind = "x"]  by condition
           a[name in ["x", "y"]]      a[$contains(name, /re/i)]      a[$exists(b)]
SHAPE      a.{"id": id, "n": $count(items)}  an object for each      [a, b]  array      [1..5]  range
           (a; b; c)  block, value of the last      $v := expr  variable within its block
GROUP      a{kind: $sum(price)}  one object: key to the value for all items with that key
           ${country & "/" & city: $count($)}  when the document is an array
ORDER      a^(price)  a^(>price, name)  > is descending
JOIN       a@$x.b@$y[$x.id = $y.id].{"l": $x, "r": $y}      a#$i  position as $i
OPERATORS  + - * / %    & joins strings    = != < <= > >= in and or    c ? x : y    x ?: y    x ?? y
FUNCTIONS  function($x, $y){ $x + $y }    $f(?, 2)  partial    a ~> $f ~> $g(1)  chain
CHANGE     $ ~> |orders|{"total": price * qty}, ["qty"]|  a copy with members set and deleted
REGEX      /ab+c/i in $match $contains $replace(s, /(\w+) (\w+)/, "$2 $1") $split

STRINGS    $string(v, pretty?) $length $substring(s, start, n?) $substringBefore $substringAfter $uppercase $lowercase
           $trim $pad(s, width, char?) $contains $split(s, sep, limit?) $join(array, sep?) $match $replace
           $eval $base64encode $base64decode $encodeUrl $encodeUrlComponent $decodeUrl $decodeUrlComponent
NUMBERS    $number $abs $floor $ceil $round(n, places?) $power $sqrt $random $sum $max $min $average
           $formatNumber(n, "#,##0.00") $formatBase(n, 16) $formatInteger(n, "w") $parseInteger(s, "#,##0")
ARRAYS     $count $append $sort(a, function($l, $r){ $l.n > $r.n }) $reverse $shuffle $distinct $zip
OBJECTS    $keys $lookup(o, key) $spread $merge $each(o, function($v, $k){…}) $sift(o, function($v, $k){…})
OTHERS     $map(a, function($v, $i, $all){…}) $filter $single $reduce(a, function($acc, $v){…}, init?)
           $boolean $not $exists $type $clone $error(message) $assert(condition, message)
TIMES      $now() $millis() $fromMillis(ms, "[Y0001]-[M01]-[D01]", "+0100"?) $toMillis(s, picture?)

NOT SO     no ==, &&, || or !: use =, and, or, $not(). Strings take "…" or '…'. Names of functions begin with $.
)";
}

}  // namespace helve::jsonata
