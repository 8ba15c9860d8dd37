package petrichor.cli.stores;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.deployment.StoreCluster;
import petrichor.server.data.StorePlugins;

/** Tests the life cycle of a store on the command line, with a lightweight server. */
final class StoreCommandTest {
    @TempDir private Path folder;

    @BeforeEach
    void install() throws IOException {
        SampleStore.install(folder.resolve("plugins"));
        System.setProperty(StorePlugins.FOLDER_PROPERTY, folder.resolve("plugins").toString());
    }

    @AfterEach
    void killWhatIsLeft() {
        StoreCluster.destroy(folder.resolve("data"));
        System.clearProperty(StorePlugins.FOLDER_PROPERTY);
    }

    private CommandRun store(String command, String... more) {
        List<String> line =
                new ArrayList<>(
                        List.of("store", command, "sample", "--data", "" + folder.resolve("data")));
        line.addAll(List.of(more));
        return CommandRun.of(line.toArray(String[]::new));
    }

    @Test
    void startedStorePrintsTheLineForTheConfigurationAndServes() {
        CommandRun started = store("start", "--nodes", "2");
        assertThat(started.code()).as(started.err()).isZero();
        assertThat(started.out()).matches("store\\.url = \"sample://127\\.0\\.0\\.1:\\d+/\"\n");
        assertThat(started.err()).contains("is ready on 2 nodes").contains("up --store-url");
        CommandRun status = store("status");
        assertThat(status.code()).isZero();
        assertThat(status.out()).contains("127.0.0.2").doesNotContain("stopped");
        assertThat(status.out().lines()).hasSize(3);
    }

    @Test
    void stoppedStoreIsReportedAndRestartsAtTheSameAddress() {
        JsonObject before = json(store("start", "--json"));
        assertThat(store("stop").code()).isZero();
        CommandRun status = store("status", "--json");
        assertThat(status.code()).isEqualTo(5);
        assertThat(json(status).get("state").getAsString()).isEqualTo("stopped");
        assertThat(json(status).has("pid")).isFalse();
        assertThat(json(store("start", "--json"))).isEqualTo(before);
    }

    @Test
    void statusWithoutANameShowsEveryStartedStore() {
        String all = folder.toString();
        assertThat(CommandRun.of("store", "status", "--data", all).err())
                .contains("no datastore was started from this folder");
        store("start");
        CommandRun status = CommandRun.of("store", "status", "--data", all, "--json");
        assertThat(status.code()).isZero();
        assertThat(json(status).get("store").getAsString()).isEqualTo("data");
        assertThat(json(status).get("state").getAsString()).isEqualTo("serves");
        store("stop");
        CommandRun stopped = CommandRun.of("store", "status", "--data", all);
        assertThat(stopped.code()).isEqualTo(5);
        assertThat(stopped.out()).contains("stopped");
        assertThat(CommandRun.of("store", "status", "--data", all + "/data").out())
                .contains("stopped");
    }

    @Test
    void runningStoreIsNotWiped() {
        store("start");
        CommandRun wipe = store("wipe");
        assertThat(wipe.code()).isEqualTo(1);
        assertThat(wipe.err()).contains("stop it before");
        store("stop");
        assertThat(store("wipe").code()).isZero();
        assertThat(folder.resolve("data")).doesNotExist();
        assertThat(store("status").code()).isEqualTo(4);
    }

    @Test
    void storeCommandsPrintJson() {
        store("start", "--nodes", "2");
        CommandRun logs = store("logs", "--node", "2", "--json");
        assertThat(logs.out().lines())
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .allMatch(line -> line.get("node").getAsInt() == 2)
                .anyMatch(line -> line.get("line").getAsString().contains("Serving"));
        JsonObject stopped = json(store("stop", "--json"));
        assertThat(stopped.get("state").getAsString()).isEqualTo("stopped");
        assertThat(stopped.get("killed").getAsInt()).isZero();
        assertThat(json(store("wipe", "--json")).get("state").getAsString()).isEqualTo("wiped");
    }

    @Test
    void logsOfAllNodesArePrinted() {
        store("start", "--nodes", "2");
        CommandRun logs = store("logs");
        assertThat(logs.out()).contains("1  Serving").contains("2  Serving");
        assertThat(store("logs", "--node", "2").out()).doesNotContain("1  Serving");
        assertThat(store("logs", "--node", "3").err()).contains("nodes 1 to 2");
    }

    @Test
    void otherLayoutThanTheOneThatIsThereIsAConflict() {
        store("start");
        CommandRun other = store("start", "--nodes", "3");
        assertThat(other.code()).isEqualTo(3);
        assertThat(other.err()).contains("of 1 node on this machine");
    }

    @Test
    void listShowsAvailableStores() {
        CommandRun list = CommandRun.of("store", "list");
        assertThat(list.out()).contains("sample").contains("1 to 3");
        // One line for each; ZooKeeper is always listed.
        String line =
                CommandRun.of("store", "list", "--json")
                        .out()
                        .lines()
                        .filter(one -> one.contains("\"sample\""))
                        .findFirst()
                        .orElseThrow();
        assertThat(JsonParser.parseString(line).getAsJsonObject().get("nodesMax").getAsInt())
                .isEqualTo(3);
    }

    @Test
    void unknownStoreErrorListsTheAvailableOnes() {
        CommandRun unknown = CommandRun.of("store", "start", "oracle");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).contains("'oracle'").contains("sample");
    }

    @Test
    void contradictingOptionsAreRefusedBeforeAnyStart() {
        assertThat(store("start", "--user", "me").err()).contains("--hosts");
        assertThat(store("start", "--hosts", "a,b", "--nodes", "3").err()).contains("2 machines");
        assertThat(store("start", "--hosts", "a,a").err()).contains("twice");
        assertThat(store("start", "--nodes", "4").err()).contains("1 to 3 nodes");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    private static JsonObject json(CommandRun run) {
        return JsonParser.parseString(run.out()).getAsJsonObject();
    }
}
