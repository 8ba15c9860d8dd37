package petrichor.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;

class YamlMappingTest {
    private static final Set<String> KNOWN =
            Set.of("name", "count", "share", "on", "list", "inner", "variables");

    private static YamlMapping parse(String text) {
        return YamlMapping.parse("app.yaml", text, KNOWN);
    }

    @Test
    void readsScalars() {
        YamlMapping fields = parse("name: \"a b\"\ncount: 7\nshare: 0.5\non: Yes\n");
        assertThat(fields.names()).containsExactly("name", "count", "share", "on");
        assertThat(fields.required("name")).isEqualTo("a b");
        assertThat(fields.integer("count")).contains(7);
        assertThat(fields.number("share")).contains(0.5);
        assertThat(fields.flag("on")).contains(true);
        assertThat(fields.scalar("name")).contains(new YamlScalar("a b", false, 1));
        assertThat(fields.scalar("count")).contains(new YamlScalar("7", true, 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "name:", "name: ~", "name: null", "name: \"\"", "# nothing", "---"})
    void aFieldWithoutValueIsMissing(String text) {
        assertThat(parse(text).text("name")).isEmpty();
        assertThat(parse(text).has("name")).isFalse();
    }

    @Test
    void aQuotedNullIsText() {
        assertThat(parse("name: 'null'").text("name")).contains("null");
    }

    @Test
    void readsListsOfValuesAndSingleValues() {
        assertThat(parse("list: [a, 'b']").scalars("list", 2))
                .containsExactly(new YamlScalar("a", true, 1), new YamlScalar("b", false, 1));
        assertThat(parse("list: a").scalars("list", 2))
                .containsExactly(new YamlScalar("a", true, 1));
        assertThat(parse("name: a").scalars("list", 2)).isEmpty();
    }

    @Test
    void readsFreeNamesInTheirOrder() {
        Map<String, YamlScalar> variables =
                parse("variables:\n  Z: 1\n  A: ''\n").entries("variables", 2);
        assertThat(variables.keySet()).containsExactly("Z", "A");
        assertThat(variables.get("A")).isEqualTo(new YamlScalar("", false, 3));
    }

    @Test
    void anAliasRepeatsItsValue() {
        List<YamlMapping> items =
                parse("list:\n- &one {name: x}\n- *one\n").items("list", Set.of("name"), 9);
        assertThat(items).extracting(item -> item.required("name")).containsExactly("x", "x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: a\\nnmae: b | app.yaml:2 is not valid: unknown field \"nmae\"; the nearest"
                        + " is \"name\".",
                "name: a\\nname: b | app.yaml:2 is not valid: a second field \"name\".",
                "- a | app.yaml:1 is not valid: one of count, inner,",
                "name: [a] | app.yaml:1 is not valid: a single value is expected here.",
                "\\ncount: many | app.yaml:2 is not valid: count is \"many\"; it must be a number.",
                "on: maybe | on is \"maybe\"; it must be yes or no",
                "list: {a: b} | list must be a list",
                "list: [1, 2, 3] | list has more than 2 items",
                "variables: [1] | variables must be a mapping of names to values",
                "variables: {a: 1, b: 2, c: 3} | variables has more than 2 names",
                "variables: {a: 1, a: 2} | a second field \"a\"",
                "name: a\\n---\\nname: b | app.yaml:2 is not valid: expected a single document",
                "name: 'a | app.yaml:1 is not valid",
                "name: \"\\x\" | app.yaml:1 is not valid",
            })
    void errorsNameTheLine(String text, String error) {
        assertThatThrownBy(
                        () -> {
                            YamlMapping fields = parse(text.replace("\\n", "\n"));
                            fields.text("name");
                            fields.integer("count");
                            fields.flag("on");
                            fields.scalars("list", 2);
                            fields.entries("variables", 2);
                        })
                .hasMessageContaining(error);
    }

    @Test
    void theSizeIsLimited() {
        String comment = "#".repeat(YamlTree.TEXT_CHARACTERS_MAX);
        assertThat(parse(comment).names()).isEmpty();
        assertThatThrownBy(() -> parse(comment + "#"))
                .hasMessageContaining("the file has more than 1048576 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{name: ", "- ", "? "})
    void theDepthIsLimited(String opening) {
        assertThatThrownBy(() -> parse("name:\n " + opening.repeat(200_000 / opening.length())))
                .hasMessageContaining("app.yaml:2 is not valid: more than 32 nested");
    }

    @Test
    void theGreatestDepthIsRead() {
        int lists = YamlTree.DEPTH_MAX - 1;
        String nested = "name: " + "[".repeat(lists) + "]".repeat(lists);
        assertThat(parse(nested).has("name")).isTrue();
        assertThatThrownBy(() -> parse("inner: [" + nested.substring("name: ".length()) + "]"))
                .hasMessageContaining("more than 32 nested");
    }

    @Test
    void aliasesAreLimited() {
        String allowed = "inner: &a {}\nlist: [" + "*a, ".repeat(YamlTree.ALIASES_MAX) + "]\n";
        assertThat(parse(allowed).has("list")).isTrue();
        String refused = allowed.replace("]", "*a]");
        assertThatThrownBy(() -> parse(refused)).hasMessageContaining("aliases");
    }

    @Test
    void namesAreLimited() {
        String name = "n".repeat(YamlMapping.NAME_CHARACTERS_MAX + 1);
        assertThatThrownBy(() -> parse(name + ": a"))
                .hasMessageContaining("a name has more than 200 characters");
        assertThatThrownBy(() -> parse("variables: {" + name + ": a}").entries("variables", 1))
                .hasMessageContaining("a name has more than 200 characters");
    }

    @Test
    void failuresOfOtherCodeGetTheLineOfTheirMapping() {
        YamlMapping inner = parse("\ninner: {name: a}").mapping("inner", KNOWN).orElseThrow();
        PetrichorException odd = PetrichorException.invalid("It is odd.");
        assertThatThrownBy(() -> inner.checked(() -> fail(odd)))
                .hasMessage("app.yaml:2 is not valid: It is odd.");
        assertThat(inner.line()).isEqualTo(2);
    }

    @Test
    void aLineIsAddedOnce() {
        YamlMapping fields = parse("inner:\n  name: a");
        YamlMapping inner = fields.mapping("inner", KNOWN).orElseThrow();
        PetrichorException odd = inner.invalid("name", "it is odd");
        assertThatThrownBy(() -> fields.checked(() -> fail(odd)))
                .hasMessage("app.yaml:2 is not valid: it is odd.");
    }

    private static Object fail(PetrichorException failure) {
        throw failure;
    }
}
