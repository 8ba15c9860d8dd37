package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;

class IndexYamlTest {
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

    @TempDir Path folder;

    @Test
    void aPrintedDefinitionIsParsedBack() throws IOException {
        Path file = file("# made by hand\nindexes:\n\n" + TASKS.yaml() + NOTES.yaml());
        assertThat(IndexYaml.read(file)).containsExactly(TASKS, NOTES);
    }

    @Test
    void quotesFlowStyleCommentsAndAliasesAreRead() throws IOException {
        Path file =
                file(
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
                        """);
        assertThat(IndexYaml.read(file)).containsExactly(TASKS, NOTES, TASKS);
    }

    @Test
    void aFileMayHaveNoIndex() throws IOException {
        for (String text : List.of("", "# nothing yet\n", "---\nindexes:\n", "indexes: []\n")) {
            assertThat(IndexYaml.read(file(text))).as(text).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    - kind: Task\\n  colour: red                    | 3 | unknown field "colour"
                    - kind: Task\\n  ancestor: maybe                | 3 | ancestor is "maybe"
                    - kind: Task\\n  properties:\\n  - direction: asc | 4 | the property has no name
                    - kind: Task\\n  properties:\\n  - name: a\\n    direction: up | 5 | direction is "up"
                    - kind: Task\\n  properties: a                  | 3 | a list is expected here
                    - kind: Task\\n  kind: Task                     | 3 | a second field "kind"
                    - ancestor: yes                                 | 2 | the index has no kind
                    - Task                                          | 2 | is expected here
                    - kind: [Task]                                  | 2 | a single value is expected here
                    - kind: "Task                                   | 3 | found unexpected end of stream
                    - kind: *unknown                                | 2 | unknown
                    - &all [*all]                                   | 2 | is expected here
                    """)
    void invalidElementsAreReportedWithTheirLine(String index, int line, String problem)
            throws IOException {
        Path file = file("indexes:\n" + index.replace("\\n", "\n") + "\n");
        assertThatThrownBy(() -> IndexYaml.read(file))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(file + ":" + line + " ")
                .hasMessageContaining(problem);
    }

    /** Ten lines of ten aliases each would expand to ten thousand million values. */
    @Test
    void aliasesCannotMakeASmallFileLarge() throws IOException {
        StringBuilder bomb = new StringBuilder("indexes:\n- &a0 [x, x]\n");
        for (int i = 1; i <= 10; i++) {
            String alias = "*a" + (i - 1) + ", ";
            bomb.append("- &a").append(i).append(" [").append(alias.repeat(10)).append("x]\n");
        }
        assertThatThrownBy(() -> IndexYaml.read(file(bomb.toString())))
                .hasMessageContaining("aliases");
    }

    @Test
    void theNumberOfPropertiesIsLimited() throws IOException {
        Path file = file("indexes:\n- kind: K\n  properties:\n" + "  - name: p\n".repeat(101));
        assertThatThrownBy(() -> IndexYaml.read(file))
                .hasMessageContaining(file + ":4")
                .hasMessageContaining("more than 100 items");
    }

    @Test
    void declaredIndexesServeQueriesThatNeedThem() throws IOException {
        Path file = file("indexes:\n" + TASKS.yaml());
        String needsTasks =
                """
                {"gqlQuery": {"queryString": "SELECT * FROM Task WHERE __key__ HAS ANCESTOR \
                KEY(List, 'l') AND done = FALSE ORDER BY created DESC", "allowLiterals": true}}
                """;
        try (TestServer declared = TestServer.start(config -> config.withIndexes(file, false));
                TestServer bare = TestServer.start(config -> config.withIndexes(null, false))) {
            assertThat(declared.post("/v1/projects/p:runQuery", needsTasks).statusCode())
                    .isEqualTo(200);
            assertThat(bare.post("/v1/projects/p:runQuery", needsTasks).body())
                    .contains("FAILED_PRECONDITION")
                    .contains("created");
        }
    }

    @Test
    void anIndexThatIsNoLongerInTheFileStaysAndIsListed() throws IOException {
        Path file = file("indexes:\n" + TASKS.yaml() + NOTES.yaml());
        Path data = folder.resolve("data");
        try (TestServer before =
                TestServer.start(config -> config.withData(data).withIndexes(file, false))) {
            assertThat(indexes(before)).contains("\"Task\"").contains("\"Note\"");
        }
        Files.writeString(file, "indexes:\n" + NOTES.yaml());
        try (TestServer after =
                TestServer.start(config -> config.withData(data).withIndexes(file, false))) {
            assertThat(indexes(after)).contains("\"Task\"").contains("\"Note\"");
        }
    }

    /** The page read by {@code index list}, after the database was used. */
    private static String indexes(TestServer server) {
        assertThat(server.post("/v1/projects/p:beginTransaction", "{}").statusCode())
                .isEqualTo(200);
        return server.get(IndexesPage.PATH + "?project=p").body();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("index.yaml"), text);
    }
}
