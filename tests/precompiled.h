// What nearly every test includes, read once. Tests still include what they use.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/precompiled.h"
