package petrichor.apps.instances;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;

/**
 * Ends processes of instances that a former process of the platform left, and removes their folders
 * and control groups. Usually the kernel has ended them with the platform. Used while the host
 * holds the lock on its folder, so that all of them are without a platform.
 */
final class Leftovers {
    private static final System.Logger LOG = System.getLogger(Leftovers.class.getName());
    private static final Duration END_TIME_MAX = Duration.ofSeconds(20);
    private static final long POLL_NANOS = 10_000_000;

    private final Path folder;
    private final ControlGroups groups;
    private final String prefix;

    /**
     * @param folder of the folders of instances
     * @param prefix of the names of the host's control groups
     */
    Leftovers(Path folder, ControlGroups groups, String prefix) {
        this.folder = folder;
        this.groups = groups;
        this.prefix = prefix;
    }

    /** Returns the number of instances that were found. */
    int remove() throws IOException {
        List<InstanceFolder> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(folder)) {
            all.forEach(each -> found.add(new InstanceFolder(each)));
        }
        List<ControlGroup> members = groups.existing(prefix).stream().map(groups::group).toList();
        long endNanos = System.nanoTime() + END_TIME_MAX.toNanos();
        while (!killed(found, members)) {
            if (System.nanoTime() > endNanos) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "processes of former instances do not end after SIGKILL; their notes"
                                + " remain in {0}",
                        folder);
                return found.size();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        members.forEach(ControlGroup::remove);
        for (InstanceFolder each : found) {
            delete(each);
        }
        return found.size();
    }

    /** Kills what runs; true if nothing does. */
    private static boolean killed(List<InstanceFolder> found, List<ControlGroup> members) {
        Set<Long> running = new HashSet<>();
        for (InstanceFolder each : found) {
            each.note().ifPresent(note -> running.addAll(processes(note)));
        }
        for (ControlGroup group : members) {
            Set<Long> inGroup = group.members();
            if (!inGroup.isEmpty()) {
                group.kill();
                running.addAll(inGroup);
            }
        }
        running.forEach(LinuxProcesses::kill);
        return running.isEmpty();
    }

    private static List<Long> processes(InstanceFolder.Note note) {
        List<Long> pids = new ArrayList<>();
        if (note.startTicks() >= 0 && LinuxProcesses.startTicks(note.pid()) == note.startTicks()) {
            ProcessHandle.of(note.pid())
                    .ifPresent(
                            first -> {
                                first.descendants().map(ProcessHandle::pid).forEach(pids::add);
                                pids.add(first.pid());
                            });
        }
        if (!note.mark().isEmpty()) {
            pids.addAll(LinuxProcesses.marked(note.mark()));
        }
        return pids;
    }

    private static void delete(InstanceFolder each) {
        try {
            each.delete();
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot delete the folder {0} of a former instance: {1}",
                    each.path(),
                    FileProblem.reason(e));
        }
    }
}
