package petrichor.frontends.apps;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;
import petrichor.base.PetrichorException;

/** Writes the files of a commit to a folder. Symbolic links come last: nothing is written there. */
final class CommitFiles {
    private static final int FILES_MAX = 20_000;

    private final Path folder;
    private final Map<Path, Path> links = new LinkedHashMap<>();
    private long bytes;
    private int files;
    private int submodules;

    private CommitFiles(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns how many submodules were left out. INVALID_ARGUMENT if the files are too many or too
     * large.
     */
    static int write(Repository repository, ObjectId commit, Path folder) throws IOException {
        CommitFiles written = new CommitFiles(folder);
        try (ObjectReader reader = repository.newObjectReader();
                RevWalk commits = new RevWalk(reader);
                TreeWalk tree = new TreeWalk(reader)) {
            int _ = tree.addTree(commits.parseCommit(commit).getTree());
            tree.setRecursive(true);
            while (tree.next()) {
                written.add(tree, reader);
            }
        }
        for (Map.Entry<Path, Path> link : written.links.entrySet()) {
            Path _ = Files.createSymbolicLink(link.getKey(), link.getValue());
        }
        return written.submodules;
    }

    private void add(TreeWalk tree, ObjectReader reader) throws IOException {
        FileMode mode = tree.getFileMode();
        if (mode.equals(FileMode.GITLINK)) {
            submodules++;
            return;
        }
        Path file = folder.resolve(tree.getPathString()).normalize();
        ObjectLoader content = reader.open(tree.getObjectId(0));
        bytes += content.getSize();
        files++;
        if (!file.startsWith(folder)
                || files > FILES_MAX
                || bytes > Deployments.ARCHIVE_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the commit has more than {filesMax} files or {bytesMax} bytes; remove what the"
                            + " app does not need",
                    "filesMax",
                    FILES_MAX,
                    "bytesMax",
                    Deployments.ARCHIVE_BYTES_MAX);
        }
        Path _ = Files.createDirectories(file.getParent());
        if (mode.equals(FileMode.SYMLINK)) {
            links.put(file, Path.of(new String(content.getBytes(), StandardCharsets.UTF_8)));
            return;
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            content.copyTo(out);
        }
        if (mode.equals(FileMode.EXECUTABLE_FILE)) {
            Path _ =
                    Files.setPosixFilePermissions(
                            file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
