package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;
import petrichor.server.pages.IndexesPage;

/** Indexes of the file {@code indexes.file}. */
class DeclaredIndexesTest {
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
