// The elements of HTML that mean something when a page becomes text, and what they mean.
#pragma once

#include <string_view>

namespace helve::media {

enum class Tag : unsigned char {
  other,  // as good as <span>
  a,
  address,
  annotation,
  annotation_xml,
  area,
  article,
  aside,
  audio,
  b,
  base,
  blockquote,
  body,
  br,
  button,
  canvas,
  caption,
  center,
  cite,
  code,
  col,
  colgroup,
  dd,
  del,
  details,
  dfn,
  dialog,
  dir,
  div,
  dl,
  dt,
  em,
  embed,
  fieldset,
  figcaption,
  figure,
  footer,
  form,
  frame,
  frameset,
  h1,
  h2,
  h3,
  h4,
  h5,
  h6,
  head,
  header,
  hgroup,
  hr,
  html,
  i,
  iframe,
  img,
  input,
  kbd,
  legend,
  li,
  link,
  listing,
  main,
  map,
  math,
  menu,
  meta,
  nav,
  noembed,
  noframes,
  noscript,
  object,
  ol,
  optgroup,
  option,
  p,
  param,
  plaintext,
  pre,
  q,
  s,
  samp,
  script,
  search,
  section,
  select,
  source,
  strike,
  strong,
  style,
  summary,
  sup,
  svg,
  table,
  tbody,
  td,
  template_,
  textarea,
  tfoot,
  th,
  thead,
  title,
  tr,
  track,
  tt,
  ul,
  var,
  video,
  wbr,
  xmp,
};

constexpr size_t kTags = static_cast<size_t>(Tag::xmp) + 1;

// A name in any case.
Tag find_tag(std::string_view name);

// What an element is, as bits.
enum TagTrait : unsigned char {
  kVoid = 1,         // has no end tag and no content
  kRaw = 2,          // its content is no HTML
  kBlock = 4,        // stands on lines of its own, and ends a paragraph
  kDropped = 8,      // its content is not for readers
  kBoilerplate = 16  // serves to get around on the site
};
unsigned traits(Tag tag);

}  // namespace helve::media
