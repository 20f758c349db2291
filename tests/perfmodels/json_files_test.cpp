// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/json_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

constexpr OwnJson note_format{"the note", "version", 3, "write it again"};

struct Note {
  std::string cpu;
};

Note read_note(const std::string& path) {
  Note note;
  note_format.parse(note_format.read(path), path,
                    [&](const auto& json) { json.at("cpu").get_to(note.cpu); });
  return note;
}

OwnFile<Note> own_note(const std::string& path) {
  return note_format.read_own(path, "ours", read_note);
}

/// Expects that the file is ignored with a warning of one line that contains all the parts.
void expect_left_out(const std::string& path, std::initializer_list<std::string> parts) {
  const OwnFile<Note> note = own_note(path);
  EXPECT_FALSE(note.content);
  for (const std::string& part : parts) {
    EXPECT_NE(note.warning.find(part), std::string::npos) << part << ": " << note.warning;
  }
  EXPECT_EQ(note.warning.find('\n'), std::string::npos) << note.warning;
}

TEST(OwnFile, IsReadWhereItIsSoundAndOfThisProcessor) {
  const support::TemporaryFolder folder;
  const OwnFile<Note> note =
      own_note(folder.write("note.json", R"({"version": 3, "cpu": "ours"})"));
  ASSERT_TRUE(note.content);
  EXPECT_EQ(note.content->cpu, "ours");
  EXPECT_EQ(note.warning, "");
}

TEST(OwnFile, IsMissedByNobody) {
  const support::TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder.path("link.json"));
  for (const std::string& path : {std::string(), folder.path("none.json"),
                                  folder.path("none/of/it.json"), folder.path("link.json")}) {
    const OwnFile<Note> note = own_note(path);
    EXPECT_FALSE(note.content) << path;
    EXPECT_EQ(note.warning, "") << path;
  }
}

TEST(OwnFile, IsLeftOutWhereItIsOfNoUse) {
  const support::TemporaryFolder folder;
  const auto expect = [&](const std::string& text, const std::string& why) {
    const std::string path = folder.write("note.json", text);
    expect_left_out(path, {"the note " + path, why, "write it again"});
  };
  expect("", "is empty");
  expect(R"({"version": 3, "cpu": "ou)", "damaged");
  expect(
      "\x7f"
      "ELF\n\xff",
      "damaged");
  expect("[]", "damaged");
  expect("{}", "damaged");
  expect(R"({"version": 3, "cpu": 1e999})", "damaged");
  expect(R"({"version": 4, "cpu": "ours"})", "another version");
  expect(R"({"version": 3, "cpu": "theirs"})", "another processor");
}

TEST(OwnFile, IsNeitherAFolderNorADeviceWithoutEnd) {
  const support::TemporaryFolder folder;
  expect_left_out(folder.path(""), {"the note ", "is not a file", "write it again"});
  std::filesystem::create_symlink("/dev/full", folder.path("link.json"));
  expect_left_out(folder.path("link.json"), {"is not a file"});
  std::filesystem::create_symlink("round", folder.path("round"));
  expect_left_out(folder.path("round"), {"cannot be read ("});
}

TEST(OwnFile, IsNotFoundBelowAFileWhateverItIs) {
  const support::TemporaryFolder folder;
  const std::string in_the_way = folder.write("data", "");
  expect_left_out(in_the_way + "/espalier/note.json",
                  {in_the_way + " is not a folder", "remove it"});
  EXPECT_EQ(own_note(in_the_way + "/espalier/note.json").warning,
            own_note(in_the_way + "/espalier/other.json").warning);
}

TEST(OwnJson, RefusesWhatTakesStackWithoutEnd) {
  const auto parse = [](int levels) {
    const std::string nested = std::string(levels, '[') + std::string(levels, ']');
    note_format.parse(R"({"version": 3, "cpu": )" + nested + "}", "deep.json", [](const auto&) {});
  };
  parse(60);
  for (const int levels : {70, 1000000}) {
    support::expect_error<InputError>([&] { parse(levels); }, {"deep.json", "nested too deeply"});
  }
}

template <class Integer>
Integer taken(const nlohmann::ordered_json& json) {
  Integer value = 0;
  take(json, value);
  return value;
}

TEST(WholeNumber, IsTakenWithoutLossOrRefused) {
  EXPECT_EQ(taken<std::int32_t>(-2147483648), -2147483648);
  EXPECT_EQ(taken<std::int64_t>(INT64_MAX), INT64_MAX);
  EXPECT_THROW(taken<std::int32_t>(2147483648), std::domain_error);
  EXPECT_THROW(taken<std::int64_t>(UINT64_MAX), std::domain_error);
  EXPECT_THROW(taken<std::int64_t>(1.5), std::domain_error);
  EXPECT_THROW(taken<std::int32_t>(1e300), std::domain_error);
  EXPECT_THROW(taken<std::int32_t>("7"), std::domain_error);
}

TEST(OwnJson, SaysWhyAFileThatIsNamedCannotBeRead) {
  const support::TemporaryFolder folder;
  support::expect_error<InputError>([&] { note_format.read(folder.path("none")); },
                                    {"the note", "cannot be read (No such file", "write it again"});
  support::expect_error<InputError>([&] { note_format.read(folder.path("")); }, {"cannot be read"});
}

}  // namespace
}  // namespace espalier::internal
