package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.jobs.flink.JobManagerProcess.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.Purchase;
import petrichor.cloud.leasing.Leased;
import petrichor.cloud.leasing.Need;
import petrichor.cloud.leasing.StageId;
import petrichor.jobs.leased.ClusterMachines;
import petrichor.jobs.leased.LeaseSetting;

/** The program of a machine, with processes that represent job managers and task managers. */
@Timeout(60)
final class TaskManagerAgentTest {
    private static final int LONG = 1_000;

    /** Reports its identity, and runs until it is ended. */
    private static final String WORKS = "echo \"$1 $$\" >> began; exec sleep 1000\n";

    private static final String ENDS = "echo \"$1 $$\" >> began\n";

    private static final String HANGS =
            "trap '' TERM; echo \"$1 $$\" >> began; while :; do sleep 0.1; done\n";

    @TempDir Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        for (Process each : started) {
            each.descendants().forEach(ProcessHandle::destroyForcibly);
            each.destroyForcibly().waitFor();
        }
    }

    @Test
    void aDeadJobManagersTaskManagersEndAndTheNextOneGetsTheMachine() throws Exception {
        Process first = jobManager();
        manages(first.pid(), LinuxProcesses.startTicks(first.pid()));
        Process machine = machine(WORKS, LONG);
        wants("one", first.pid());
        await("it runs", () -> began("one").isPresent());
        long one = began("one").orElseThrow();

        first.destroyForcibly().waitFor();
        await("it has ended", () -> !runs(one));
        Process second = jobManager();
        manages(second.pid(), LinuxProcesses.startTicks(second.pid()));
        wants("two", second.pid());
        await("the next one runs", () -> began("two").isPresent());
        assertThat(machine.isAlive()).isTrue();
        assertThat(names("began")).containsExactly("one", "two");
    }

    @Test
    void aMachineWithoutAJobManagerEnds() throws Exception {
        Process machine = machine(WORKS, 2);
        assertThat(machine.waitFor()).isZero();
        assertThat(folder.resolve("address")).hasContent("here");
    }

    /** Process ids are reused. */
    @Test
    void aReusedProcessIdIsNotTheJobManager() throws Exception {
        long pid = ProcessHandle.current().pid();
        manages(pid, LinuxProcesses.startTicks(pid) + 1);
        wants("one", pid);
        assertThat(machine(WORKS, 2).waitFor()).isZero();
        assertThat(names("began")).isEmpty();
    }

    @Test
    void requestsOfAnEarlierJobManagerAreNotStarted() throws Exception {
        Process manager = jobManager();
        manages(manager.pid(), LinuxProcesses.startTicks(manager.pid()));
        wants("old", manager.pid() + 1);
        Process machine = machine(WORKS, LONG);
        await("it has looked", () -> machine.children().anyMatch(TaskManagerAgentTest::sleeps));
        wants("new", manager.pid());
        await("it runs", () -> began("new").isPresent());
        assertThat(names("began")).containsExactly("new");
    }

    @Test
    void aHangingTaskManagerIsKilledBeforeTheNextOneStarts() throws Exception {
        Process manager = jobManager();
        manages(manager.pid(), LinuxProcesses.startTicks(manager.pid()));
        wants("one", manager.pid());
        machine(HANGS, LONG);
        await("it hangs", () -> began("one").isPresent());
        wants("two", manager.pid());
        await("the next one runs", () -> began("two").isPresent());
        assertThat(runs(began("one").orElseThrow())).isFalse();
        Files.delete(folder.resolve("wanted"));
        await("nothing runs", () -> !runs(began("two").orElseThrow()));
        assertThat(folder.resolve("ended")).doesNotExist();
    }

    @Test
    void aTaskManagerThatEndsByItselfIsReportedAndNotRestarted() throws Exception {
        Process manager = jobManager();
        manages(manager.pid(), LinuxProcesses.startTicks(manager.pid()));
        wants("one", manager.pid());
        Process machine = machine(ENDS, LONG);
        await("its end is known", () -> names("ended").equals(List.of("one")));
        await("it has looked", () -> machine.children().anyMatch(TaskManagerAgentTest::sleeps));
        wants("two", manager.pid());
        await("the next one's, too", () -> names("ended").equals(List.of("one", "two")));
        assertThat(names("began")).containsExactly("one", "two");
    }

    @Test
    void theEndOfAnotherTaskManagerIsIgnored() throws Exception {
        var machines = ClusterMachines.of(LeaseSetting.in(folder));
        var type = LeaseSetting.type("small", 1, 600, "0.10");
        var leased = new Leased("i-1", type, Purchase.ON_DEMAND);
        TaskManagerAgent agent = TaskManagerAgent.of(machines, configuration());
        MachinePool.Request request = request();
        ResourceID id = new ResourceID("two");
        agent.start(
                request,
                leased,
                id,
                TaskExecutorProcessUtils.processSpecFromConfig(configuration()));
        Path here = MachinePool.folder(machines, leased);
        assertThat(here.resolve("wanted")).content().startsWith("two ");
        assertThat(here.resolve("task-manager")).content().startsWith("exec ");
        assertThat(agent.hasEnded(request, id)).isFalse();
        Files.writeString(here.resolve("ended"), "one\n");
        assertThat(agent.hasEnded(request, id)).isFalse();
        Files.writeString(here.resolve("ended"), "one\ntwo\n");
        assertThat(agent.hasEnded(request, id)).isTrue();

        agent.end(request);
        assertThat(here.resolve("wanted")).doesNotExist();
        agent.end(request);
        assertThat(agent.hasEnded(request, id)).isFalse();
    }

    private static MachinePool.Request request() {
        return new MachinePool.Request(
                new StageId(ClusterMachines.OWNER, 1),
                Need.of("task-manager", new Need.Wish.Named("small"), 1),
                new MachinePool.Tenant() {
                    @Override
                    public void granted(Leased machine) {}

                    @Override
                    public void waits(String reason) {}

                    @Override
                    public void gaveUp(String reason) {}

                    @Override
                    public void lost(String reason) {}

                    @Override
                    public void poll() {}
                });
    }

    private static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.TASK_HEAP_MEMORY, MemorySize.ofMebiBytes(128));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
        configuration.set(TaskManagerOptions.CPU_CORES, 1.0);
        configuration.set(LeasedCluster.FOLDER, "conf");
        return configuration;
    }

    /** Waits for its standard input; its name makes its stat file hard to parse. */
    private Process jobManager() throws IOException {
        Path program = folder.resolve("a b) 1 2");
        if (!Files.exists(program)) {
            Files.copy(
                    Path.of("/bin/sh").toRealPath(), program, StandardCopyOption.COPY_ATTRIBUTES);
        }
        return began(new ProcessBuilder(program.toString(), "-c", "read all; exit"));
    }

    private Process machine(String taskManager, int checks) throws IOException {
        Files.writeString(folder.resolve("task-manager"), taskManager);
        return began(
                new ProcessBuilder(TaskManagerAgent.machine(folder.resolve("manager"), checks))
                        .directory(folder.toFile()));
    }

    private Process began(ProcessBuilder program) throws IOException {
        Process process = program.redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    private void manages(long pid, long ticks) throws IOException {
        write("manager", pid + " " + ticks + "\n");
    }

    private void wants(String name, long under) throws IOException {
        write("wanted", name + " " + under + "\n");
    }

    private void write(String file, String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve(file + ".fresh"), text);
        Files.move(fresh, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The id of the process that was started under a name. */
    private Optional<Long> began(String name) {
        return lines("began").stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> Long.valueOf(line.substring(name.length() + 1)))
                .findFirst();
    }

    private List<String> names(String file) {
        return lines(file).stream().map(line -> line.split(" ", -1)[0]).toList();
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(folder.resolve(file));
        } catch (IOException notYet) {
            return List.of();
        }
    }

    private static boolean runs(long pid) {
        return ProcessHandle.of(pid).isPresent();
    }

    private static boolean sleeps(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("sleep");
    }
}
