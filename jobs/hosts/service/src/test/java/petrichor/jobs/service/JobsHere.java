package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.testing.process.CommandLines;

/** Jobs of a service, and what is left of them on this computer. */
final class JobsHere {
    private JobsHere() {}

    /** Whatever runs with something of a test's folder: machines, their workers, jobs. */
    static List<String> processes(Path folder) throws IOException {
        List<String> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    String command =
                            Files.readString(
                                    process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    if (command.contains(folder.toString())) {
                        found.add(process + " " + command.replace('\0', ' '));
                    }
                } catch (IOException gone) {
                    // Then it is not left.
                }
            }
        }
        return found;
    }

    /** What a folder has, by name; nothing if there is none. */
    static List<String> in(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? List.of() : Arrays.stream(names).sorted().toList();
    }

    /** Kills the processes of all jobs of this process' services. */
    static void killProcesses() {
        ProcessHandle.current()
                .children()
                .filter(child -> CommandLines.of(child).contains("JobProcessMain"))
                .forEach(ProcessHandle::destroyForcibly);
    }

    /** Until a task of this stage or a later one works. */
    static void awaitRunningTask(JobService service, int stage, String id)
            throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (!runs(service.snapshot(id), stage)) {
                assertThat(following.isOver()).as("%s", service.snapshot(id)).isFalse();
                following.next(Duration.ofSeconds(1));
            }
        }
    }

    static boolean runs(JobSnapshot job, int stage) {
        return job.tasks().stream()
                .anyMatch(task -> task.isRunning() && task.task().getStage() >= stage);
    }

    static JobSnapshot end(JobService service, String id) throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (!following.isOver()) {
                following.next(Duration.ofSeconds(1));
            }
        }
        return service.snapshot(id);
    }
}
