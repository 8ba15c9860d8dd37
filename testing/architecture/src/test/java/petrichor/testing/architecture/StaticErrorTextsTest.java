package petrichor.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks that error texts are constants. Errors are counted by their text; whatever differs between
 * failures is a fact, which the text names in braces.
 */
final class StaticErrorTextsTest {
    private static final Path ROOT = Path.of("..", "..");

    /** Modules whose texts are checked. */
    private static final List<String> MODULES =
            List.of(
                    "apps",
                    "base",
                    "cli",
                    "client",
                    "cloud",
                    "cluster",
                    "coordination",
                    "deployment",
                    "entities",
                    "frontends",
                    "jobs",
                    "kv",
                    "movement",
                    "rpc",
                    "server",
                    "services",
                    "transactions",
                    "yaml");

    /** Texts that came from a server, from another process or from user code. */
    private static final Set<String> DYNAMIC =
            Set.of(
                    "CommitMessages.java",
                    "DatastoreClient.java",
                    "FileReplica.java",
                    "FunctionFailure.java",
                    "ChangeFeedClient.java",
                    "ChangesClient.java",
                    "RowsClient.java",
                    "ServerPage.java",
                    "TargetClient.java",
                    "JobPages.java",
                    "PeerFailure.java",
                    "TaskFailure.java",
                    "TuplesClient.java",
                    "UpstreamClient.java",
                    "Worker.java",
                    "WorkersExecutor.java");

    private static final Pattern CONSTANT = Pattern.compile("[A-Z][A-Z0-9_]*");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-zA-Z][A-Za-z0-9]*)}");

    private final List<String> findings = new ArrayList<>();
    private final Set<String> dynamic = new TreeSet<>();
    private int texts;

    @Test
    void textsAreConstantsThatNameTheirFacts() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
                for (Path file : files.filter(StaticErrorTextsTest::isSource).toList()) {
                    if (Files.readString(file).contains("PetrichorException")) {
                        sources.add(file);
                    }
                }
            }
        }
        read(sources);
        assertThat(findings).isEmpty();
        assertThat(dynamic).isEqualTo(DYNAMIC);
        assertThat(texts).isGreaterThan(600);
    }

    @Test
    void aDynamicTextAndAMissingFactAreFound() throws IOException {
        check("PetrichorException.invalid(\"it is \" + value)");
        check("PetrichorException.of(ErrorCode.ABORTED, cause, \"{a} of {b}\", \"a\", 1)");
        check(
                "PetrichorException.of(ErrorCode.ABORTED, \"at most \" + Limits.MAX + \" {a}\","
                        + " \"a\", 1)");
        assertThat(findings).hasSize(2);
        assertThat(findings.getFirst()).contains("value");
        assertThat(findings.getLast()).contains("{b}");
    }

    @Test
    void numberedAndRepeatedFactsAreFound() throws IOException {
        check("PetrichorException.invalid(\"{type} is not {type2}\", \"type\", a, \"type2\", b)");
        check("PetrichorException.invalid(\"{type}\", \"type\", a, \"type\", b)");
        assertThat(findings).hasSize(2);
        assertThat(findings.getFirst()).contains("type2");
        assertThat(findings.getLast()).contains("two facts");
    }

    private void check(String expression) throws IOException {
        Path file = Files.createTempFile("Planted", ".java");
        Files.writeString(file, "class Planted { Object o = " + expression + "; }");
        read(List.of(file));
        Files.delete(file);
    }

    private static boolean isSource(Path file) {
        String path = file.toString();
        return path.endsWith(".java")
                && path.contains("/src/main/")
                && !path.endsWith("/PetrichorException.java");
    }

    private void read(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources));
            for (CompilationUnitTree unit : task.parse()) {
                var _ = new Failures(Path.of(unit.getSourceFile().toUri())).scan(unit, null);
            }
        }
    }

    /** Visits the places that create failures. */
    private final class Failures extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final Path file;

        Failures(Path file) {
            this.file = file;
        }

        @Override
        public @Nullable Void visitNewClass(NewClassTree made, @Nullable Void nothing) {
            if (made.getIdentifier().toString().equals("PetrichorException")) {
                dynamic.add(file.getFileName().toString());
            }
            return super.visitNewClass(made, null);
        }

        @Override
        public @Nullable Void visitMethodInvocation(
                MethodInvocationTree call, @Nullable Void nothing) {
            List<? extends ExpressionTree> arguments = call.getArguments();
            switch (call.getMethodSelect().toString()) {
                case "PetrichorException.invalid" -> check(arguments, 0);
                case "PetrichorException.of" -> check(arguments, arguments.size() % 2 == 0 ? 1 : 2);
                default -> {}
            }
            return super.visitMethodInvocation(call, null);
        }

        private void check(List<? extends ExpressionTree> arguments, int at) {
            texts++;
            StringBuilder text = new StringBuilder();
            if (!constant(arguments.get(at), text)) {
                findings.add(file + ": the text is not constant: " + arguments.get(at));
                return;
            }
            Set<String> facts = new HashSet<>();
            for (int i = at + 1; i < arguments.size(); i += 2) {
                String name = String.valueOf(value(arguments.get(i)));
                if (!facts.add(name)) {
                    findings.add(file + ": two facts have the name " + name);
                }
                if (Character.isDigit(name.charAt(name.length() - 1))) {
                    findings.add(file + ": the fact " + name + " needs a name that describes it");
                }
            }
            Set<String> missing =
                    PLACEHOLDER
                            .matcher(text)
                            .results()
                            .map(MatchResult::group)
                            .filter(name -> !facts.contains(name.substring(1, name.length() - 1)))
                            .collect(Collectors.toSet());
            if (!missing.isEmpty()) {
                findings.add(file + ": no facts for " + missing + " of: " + text);
            }
        }

        private static @Nullable Object value(ExpressionTree tree) {
            return tree instanceof LiteralTree literal ? literal.getValue() : tree;
        }

        private static boolean constant(ExpressionTree tree, StringBuilder text) {
            return switch (tree) {
                case LiteralTree literal -> {
                    text.append(literal.getValue());
                    yield true;
                }
                case BinaryTree sum ->
                        constant(sum.getLeftOperand(), text)
                                && constant(sum.getRightOperand(), text);
                case IdentifierTree name -> CONSTANT.matcher(name.getName()).matches();
                case MemberSelectTree name -> CONSTANT.matcher(name.getIdentifier()).matches();
                default -> false;
            };
        }
    }
}
