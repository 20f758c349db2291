# SPDX-License-Identifier: BSD-3-Clause
"""The checks of tools/dev find the errors that they look for, and no errors in a clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "dev"
sys.path.insert(0, str(TOOLS))
import commit_subjects  # noqa: E402
import plain_words  # noqa: E402

LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"
CLEAN = {
    "src/espalier/types.hpp": "#include <cstdint>\n",
    "src/base/flops.hpp": '#include "espalier/types.hpp"\n// calls exit( and includes "solver/factor.hpp"\n',
    "src/graph/task_graph.hpp": '#include "base/flops.hpp"\n',
    "src/solver/factor.hpp": '#include "graph/task_graph.hpp"\n',
    "codelets/kernels.hpp": '#include "base/flops.hpp"\n',
    "codelets/cpu/potrf.cpp": '#include "codelets/kernels.hpp"\n',
}


def run(check, files):
    """Returns the exit code and the output of a check on a tree with CLEAN and these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, content in {**CLEAN, **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if content.startswith("/*bare*/") else LICENCE + content, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", TOOLS / check, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    def refuses(self, name, content, *words):
        code, output = run("check_layers.py", {name: content})
        self.assertEqual(code, 1, output)
        for word in (name + ":2:", *words):
            self.assertIn(word, output)

    def test_accepts_a_clean_tree(self):
        code, output = run("check_layers.py", {})
        self.assertEqual(code, 0, output)

    def test_refuses_an_include_to_the_right(self):
        self.refuses("src/base/bytes.hpp", '#include "graph/task_graph.hpp"\n', "layer graph", "base may include")

    def test_refuses_the_graph_in_codelets(self):
        self.refuses("codelets/factor.cpp", '#include "graph/task_graph.hpp"\n', "layer graph")

    def test_refuses_the_tree_in_kernels(self):
        self.refuses("codelets/reference/trsm.cpp", '#include "codelets/factor.hpp"\n', "codelets/factor.hpp")

    def test_refuses_internals_in_examples(self):
        self.refuses("examples/first.cpp", '#include "solver/factor.hpp"\n', "layer solver")

    def test_refuses_internals_in_interfaces_for_others(self):
        self.refuses("src/bindings/c/factor.cpp", '#include "solver/factor.hpp"\n', "layer solver")
        self.refuses("src/bindings/c/espalier.h", '#include "base/flops.hpp"\n', "layer base")
        self.refuses("src/bindings/c/factor.cpp", "#include <starpu.h>\n", "<starpu.h>", "not bindings")

    def test_refuses_the_size_of_a_double_outside_kernels_and_matrices(self):
        content = "const long bytes = 3 * sizeof(double);\n"
        for name in ("src/plan/some.cpp", "src/base/other.hpp", "schedulers/some.cpp", "simulated/src/base/buffer.cpp", "tools/some.cpp"):
            self.refuses(name, content, "sizeof(double) assumes the scalar")
        allowed = ("src/base/scalar.hpp", "src/matrix/some.cpp", "codelets/some.cpp", "simulated/codelets/some.cpp")
        code, output = run("check_layers.py", {name: content for name in allowed} | {"src/plan/some.cpp": "// sizeof(double)\n"})
        self.assertEqual(code, 0, output)

    def test_refuses_interfaces_for_others_in_the_library(self):
        code, output = run("check_layers.py", {"src/bindings/c/espalier.h": "", "src/solver/factor.cpp":
                                               '#include "bindings/c/espalier.h"\n'})
        self.assertEqual(code, 1, output)
        self.assertIn("layer bindings", output)

    def test_refuses_other_headers_in_public_ones(self):
        self.refuses("src/espalier/error.hpp", '#include "base/flops.hpp"\n', "layer base")

    def test_refuses_an_include_relative_to_the_own_folder_of_another_layer(self):
        self.refuses("src/base/bytes.cpp", '#include "../graph/task_graph.hpp"\n', "task_graph.hpp")

    def test_refuses_foreign_headers_where_they_do_not_belong(self):
        self.refuses("src/graph/edges.cpp", "#include <starpu.h>\n", "<starpu.h>", "not graph")
        self.refuses("src/mapping/owners.cpp", "#include <mpi.h>\n", "<mpi.h>", "not mapping")
        self.refuses("codelets/update.cpp", "#include <cublas_v2.h>\n", "not codelets")
        self.refuses("codelets/update.cpp", "#include <starpu_mpi.h>\n", "not codelets")

    def test_refuses_a_folder_without_layer(self):
        self.refuses("src/misc/helpers.hpp", "#include <vector>\n", "no layer")

    def test_refuses_what_the_library_must_not_do(self):
        self.refuses("src/base/log.cpp", 'void f() { std::printf("x"); }\n', "prints")
        self.refuses("schedulers/ktq.cpp", "void f() { std::cerr << 1; }\n", "prints")
        self.refuses("codelets/solve.cpp", "void f() { std::exit(1); }\n", "ends the process")
        self.refuses("perfmodels/models.cpp", 'void f() { setenv("A", "b", 1); }\n', "environment")

    def test_lets_one_file_print(self):
        code, output = run("check_layers.py", {"src/bindings/pardiso/messages.cpp": 'void f() { std::printf("x"); }\n'})
        self.assertEqual(code, 0, output)
        self.refuses("src/bindings/pardiso/run.cpp", 'void f() { std::printf("x"); }\n', "prints")
        self.refuses("src/bindings/pardiso/messages.cpp", "void f() { std::exit(1); }\n", "ends the process")

    def test_refuses_names_of_policies(self):
        for name in ("halo", "ktq", "hlevelset", "dm", "dmdas", "heft", "lws", "modular-heft-prio"):
            for path in ("src/plan/plan.cpp", "codelets/update.cpp", "tools/compare/measure.cpp"):
                self.refuses(path, f'bool f(const S& s) {{ return s.find("{name}"); }}\n', "traits")
        self.refuses("src/plan/plan.cpp", 'bool f(const S& s) { return s == "espalier"; }\n', "traits")
        self.refuses("src/plan/plan.cpp", 'bool f(const S& s) { return "espalier" != s; }\n', "traits")

    def test_lets_schedulers_and_texts_name_policies(self):
        for path, content in (("schedulers/halo.cpp", 'const char* name = "halo";\n'),
                              ("src/plan/plan.cpp", '// as "halo" does, if s == "espalier"\n'),
                              ("src/plan/plan.cpp", 'const char* text = "under --sched halo";\n'),
                              ("src/report/report.cpp", 'void f(J& json) { json["espalier"] = 1; }\n')):
            with self.subTest(path=path, content=content):
                code, output = run("check_layers.py", {path: content})
                self.assertEqual(code, 0, output)

    def test_lets_programs_print(self):
        code, output = run("check_layers.py", {"tools/espalier.cpp": 'int main() { std::puts("x"); }\n'})
        self.assertEqual(code, 0, output)


class Includes(unittest.TestCase):
    def outcome(self, content, others=None):
        return run("check_includes.py", {"src/base/some.hpp": content, **(others or {})})

    def test_accepts_what_is_included(self):
        others = {"src/base/other.hpp": "#include <vector>\n"}
        for content in ("#include <vector>\nstd::vector<int> f();\n", '#include "base/other.hpp"\nstd::vector<int> f();\n',
                        "// std::vector\n", '#include "other.hpp"\nstd::vector<int> f(std::size_t n);\n'):
            code, output = self.outcome(content, others)
            self.assertEqual(code, 0, output)

    def test_refuses_what_is_not(self):
        code, output = self.outcome('#include <string>\n#include "base/other.hpp"\n\nstd::vector<int> f();\n',
                                    {"src/base/other.hpp": "#include <map>\n"})
        self.assertEqual(code, 1, output)
        for word in ("src/base/some.hpp:5:", "std::vector", "<vector>"):
            self.assertIn(word, output)


class Style(unittest.TestCase):
    def outcome(self, content, name="src/base/some.cpp"):
        return run("check_style.py", {name: content})

    def refuses(self, content, *words, name="src/base/some.cpp"):
        code, output = self.outcome(content, name)
        self.assertEqual(code, 1, output)
        for word in (name, *words):
            self.assertIn(word, output)

    def test_accepts_a_clean_tree(self):
        code, output = run("check_style.py", {})
        self.assertEqual(code, 0, output)

    def test_warns_of_a_long_file(self):
        for lines, warns in ((600, False), (601, True)):
            code, output = self.outcome("\n" * (lines - 1))
            self.assertEqual((code, "warning: src/base/some.cpp has 601 lines" in output), (0, warns), output)

    def test_refuses_a_missing_licence_line(self):
        self.refuses("/*bare*/\nint x;\n", "some.cpp:1:", "SPDX")

    def test_refuses_open_ends(self):
        self.refuses("// TO" + "DO later\n", "some.cpp:2:", "open end")

    def test_refuses_unclear_words_in_comments_strings_and_pages(self):
        for text, words in (("// Returns wh" + "at is left.\n", "name the thing"), ("/// Waits for so\n/// ma" + "ny tasks.\n", "threads"),
                            ('const char* text = "th' + 'ose that wait";\n', "repeat the noun")):
            self.refuses(text, "some.cpp:2:", words)
        self.refuses("/*bare*/All bu" + "t one.\n", ":1:", "almost", name="docs/page.md")
        self.refuses("# Nothing bu" + "t errors\n", ":2:", name="tools/some.sh")

    def test_leaves_code_and_good_words_alone(self):
        for text in ("int wh" + "at = error.wh" + "at();\n", '#include "base/roo' + 'm.hpp"\n', "// Says what to do.\n", "// It is no longer used.\n"):
            code, output = self.outcome(text)
            self.assertEqual(code, 0, output)

    def test_each_pattern_is_valid_and_has_advice(self):
        self.assertGreater(len(plain_words.patterns()), 20)
        for pattern, advice in plain_words.patterns():
            self.assertTrue(advice, pattern.pattern)

    def test_subjects_of_commits_name_component_and_action(self):
        for subject in ("plan: skip devices if they save under 10 %", "runtime, solver: name transfers", "tools/bench: print medians"):
            self.assertEqual(commit_subjects.problem_of(subject), "")
        for subject in ("Skip devices", "plan: Skip devices", "plan: skip", "plan skip devices", "plan: skip devices.", "plan: adds a test",
                        "plan: skip " + "x" * 100, "tests/mapping, tests/matrix, tests/ordering: skip devices"):
            self.assertNotEqual(commit_subjects.problem_of(subject), "", subject)

    def test_refuses_an_unclear_subject_of_a_recent_commit(self):
        with tempfile.TemporaryDirectory() as root:
            for command in (["init", "-q"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "Correct it"]):
                subprocess.run(["git", *command], cwd=root, check=True)
            self.assertEqual(len(list(commit_subjects.unclear_subjects(pathlib.Path(root)))), 1)

    def test_refuses_unknown_experiments(self):
        page = "/*bare*/| key | figures |\n| --- | --- |\n| `known-one` | 1 |\n"
        for key, refused in (("known-one", 0), ("other", 1)):
            constant = f"/// Seconds [{key}].\nconstexpr double seconds = 1;\n"
            code, output = run("check_style.py", {"docs/experiments.md": page, "src/plan/tuned.hpp": constant})
            self.assertEqual((code, "tuned.hpp:2: [other] is not an experiment" in output), (refused, bool(refused)), output)

    def test_measures_functions(self):
        body = "  ++n;\n" * 79
        heads = (
            "int f(int n) {\n",
            "static struct starpu_task* pop(unsigned n) {\n",
            "namespace a {\nclass B {\n public:\n  explicit B(int n) {\n",
            "template <class T>\nT f(T n) noexcept {\n",
            "B::B(int n) : a_{n}, b_{1} {\n",
            "bool operator==(int n, B) {\n",
            "const auto f = [](int n) {\n",
            "TEST(Suite, Case) {\n",
        )
        for head in heads:
            with self.subTest(head=head):
                closing = "}" + "};" * head.count("class B") + "}" * head.count("namespace") + "\n"
                self.refuses(head + body + closing, "a function has at most 80")
                code, output = self.outcome(head + body[:-7 * 2] + closing)
                self.assertEqual(code, 0, output)

    def test_ignores_tables_and_classes(self):
        rows = '  {"name()", 1},\n' * 100
        for head, end in (("const Row rows[] = {\n", "};\n"), ("enum class E {\n", "};\n"), ("class C {\n", "};\n"),
                          ("namespace n {\n", "}\n")):
            with self.subTest(head=head):
                content = rows if "rows" in head else "  // f()\n" * 100
                code, output = self.outcome(head + content + end)
                self.assertEqual(code, 0, output)

    def test_braces_in_strings_and_comments_do_not_count(self):
        text = 'void f() {\n  g("}", \'}\');  // }\n' + "  h();\n" * 80 + "}\n"
        self.refuses(text, "83 lines")


if __name__ == "__main__":
    unittest.main()
