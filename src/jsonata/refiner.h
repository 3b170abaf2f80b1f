// Refiner: makes of the tree as it was written the one that is evaluated. Dots become paths with
// steps, predicates go to their steps, and every parent operator % finds the step that binds it.
#pragma once

#include "base/result.h"
#include "jsonata/node.h"

namespace helve::jsonata {

class Refiner {
 public:
  explicit Refiner(Tree& tree) : tree_(tree) {}
  Result<Node*> refine(Node* root);

 private:
  Result<Node*> process(Node* node);
  Result<Node*> process_kind(Node* node);
  Result<Node*> process_binary(Node* node);
  Result<Node*> process_dot(Node* node);
  Result<Node*> process_predicate(Node* node);
  Result<Node*> process_group(Node* node);
  Result<Node*> process_order(Node* node);
  Result<Node*> process_focus(Node* node);
  Result<Node*> process_index(Node* node);
  Result<Node*> process_negation(Node* node);
  Result<Node*> process_block(Node* node);
  Result<void> process_pairs(Node* node);
  Node* as_tail_call(Node* node);

  Result<Slot*> seek_parent(Node* node, Slot* slot);
  Result<void> resolve_ancestry(Node* path);
  static void push_ancestry(Node* result, Node* value);
  Error wrong(std::string_view code, const Node& node, std::string_view token = {}) const;

  Tree& tree_;
  size_t labels_ = 0;
};

}  // namespace helve::jsonata
