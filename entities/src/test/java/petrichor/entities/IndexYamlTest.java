package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class IndexYamlTest {
    private static final String FILE = "index.yaml";

    private static final IndexDefinition TASKS =
            new IndexDefinition(
                    "Task",
                    true,
                    List.of(
                            new IndexDefinition.Column("done", SortOrder.ASCENDING),
                            new IndexDefinition.Column("created", SortOrder.DESCENDING)));
    private static final IndexDefinition NOTES =
            new IndexDefinition(
                    "Note", false, List.of(new IndexDefinition.Column("yes", SortOrder.ASCENDING)));

    @Test
    void aPrintedDefinitionIsParsedBack() {
        String text = "# made by hand\nindexes:\n\n" + TASKS.yaml() + NOTES.yaml();
        assertThat(IndexYaml.parse(FILE, text)).containsExactly(TASKS, NOTES);
    }

    @Test
    void quotesFlowStyleCommentsAndAliasesAreRead() {
        String text =
                """
                # The same two indexes, as YAML allows them to be written.
                indexes:
                  - {kind: "Task", ancestor: 'yes', properties: &columns [{name: done},
                     {name: "created", direction: desc}]}  # flow style
                  - properties:
                    - name: "\\u0079es"
                      direction: asc
                    kind: Note
                  - {kind: Task, ancestor: true, properties: *columns}
                """;
        assertThat(IndexYaml.parse(FILE, text)).containsExactly(TASKS, NOTES, TASKS);
    }

    @Test
    void aFileMayHaveNoIndex() {
        for (String text : List.of("", "# nothing yet\n", "---\nindexes:\n", "indexes: []\n")) {
            assertThat(IndexYaml.parse(FILE, text)).as(text).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    - kind: Task\\n  colour: red                    | 3 | unknown field "colour"; the nearest is
                    - kind: Task\\n  ancestor: maybe                | 3 | ancestor is "maybe"
                    - kind: Task\\n  properties:\\n  - direction: asc | 4 | name is missing
                    - kind: Task\\n  properties:\\n  - name: a\\n    direction: up | 5 | direction is "up"
                    - kind: Task\\n  properties: a                  | 3 | properties must be a list
                    - kind: Task\\n  kind: Task                     | 3 | a second field "kind"
                    - ancestor: yes                                 | 2 | kind is missing
                    - Task                                          | 2 | is expected
                    - kind: [Task]                                  | 2 | a single value is expected here
                    - kind: "Task                                   | 3 | found unexpected end of stream
                    - kind: *unknown                                | 2 | unknown
                    - &all [*all]                                   | 2 | is expected
                    """)
    void invalidElementsAreReportedWithTheirLine(String index, int line, String problem) {
        String text = "indexes:\n" + index.replace("\\n", "\n") + "\n";
        assertThatThrownBy(() -> IndexYaml.parse(FILE, text))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(FILE + ":" + line + " ")
                .hasMessageContaining(problem);
    }

    /** Ten lines of ten aliases each would expand to ten thousand million values. */
    @Test
    void aliasesCannotMakeASmallFileLarge() {
        StringBuilder bomb = new StringBuilder("indexes:\n- &a0 [x, x]\n");
        for (int i = 1; i <= 10; i++) {
            String alias = "*a" + (i - 1) + ", ";
            bomb.append("- &a").append(i).append(" [").append(alias.repeat(10)).append("x]\n");
        }
        assertThatThrownBy(() -> IndexYaml.parse(FILE, bomb.toString()))
                .hasMessageContaining("aliases");
    }

    @Test
    void theNumberOfPropertiesIsLimited() {
        String text = "indexes:\n- kind: K\n  properties:\n" + "  - name: p\n".repeat(101);
        assertThatThrownBy(() -> IndexYaml.parse(FILE, text))
                .hasMessageContaining(FILE + ":4")
                .hasMessageContaining("more than 100 items");
    }
}
