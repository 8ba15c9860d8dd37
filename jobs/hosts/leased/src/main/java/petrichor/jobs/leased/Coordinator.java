package petrichor.jobs.leased;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;

/**
 * The address for workers' registration: a line in a file that only this user may read. Machines
 * read it before they start a worker, and so find a new coordinator after a crash.
 *
 * @param pid of the process that leases
 * @param started when that process started, so that a reused pid is not mistaken for it
 * @param token that authenticates a worker
 */
record Coordinator(long pid, long started, int port, String token) {
    static final String FILE = "coordinator";

    private static final int WORDS = 4;

    static Coordinator here(int port, String token) {
        long pid = ProcessHandle.current().pid();
        return new Coordinator(pid, LinuxProcesses.startTicks(pid), port, token);
    }

    static Coordinator read(Path file) throws IOException {
        String[] words = Files.readString(file).strip().split(" ", -1);
        if (words.length != WORDS) {
            throw new IOException("the coordinator in " + file + " is invalid");
        }
        return new Coordinator(
                Long.parseLong(words[0]),
                Long.parseLong(words[1]),
                Integer.parseInt(words[2]),
                words[3]);
    }

    void write(Path folder) {
        replace(folder.resolve(FILE), pid + " " + started + " " + port + " " + token + "\n");
    }

    /** Atomically, and for this user only. */
    static void replace(Path file, String text) {
        try {
            Path fresh =
                    Files.createTempFile(
                            file.getParent(),
                            ".new",
                            "",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            Files.writeString(fresh, text);
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + file, e);
        }
    }
}
