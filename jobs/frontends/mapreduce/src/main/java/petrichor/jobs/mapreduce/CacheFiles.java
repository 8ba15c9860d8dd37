package petrichor.jobs.mapreduce;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapreduce.MRJobConfig;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A job's cached files: Hadoop's distributed cache. Each task localizes them itself, as it may run
 * in any process: a file of this machine is read in place; files of another file system, and
 * archives, are copied once into a folder of the job.
 *
 * <p>As in Hadoop, a task finds each by its name in the working directory: as a link, since a
 * process that runs several tasks has one working directory for all of them. Stateless.
 */
final class CacheFiles {
    private static final String FILES = "petrichor.cache.files";
    private static final String ARCHIVES = "petrichor.cache.archives";
    private static final String FOLDER = "petrichor.cache.folder";

    /** Files uploaded at submission, which are removed with the job. */
    static final String UPLOADED = "petrichor.cache.uploaded";

    /**
     * Prefix of the copies' folders; the rest names the job's process, so that abandoned folders
     * can be recognized.
     */
    private static final String COPIES = "petrichor-cache-";

    private static final Pattern OF_A_JOB = Pattern.compile("/" + COPIES + "(\\d+)-");

    private CacheFiles() {}

    /** Whether the job has any. */
    static boolean are(Configuration job) {
        return job.get(MRJobConfig.CACHE_FILES) != null
                || job.get(MRJobConfig.CACHE_ARCHIVES) != null;
    }

    /**
     * Resolves their paths in a job's configuration, independently of the working directory of its
     * tasks.
     */
    static void note(Configuration job) {
        if (are(job)) {
            job.setStrings(FILES, qualified(job, MRJobConfig.CACHE_FILES));
            job.setStrings(ARCHIVES, qualified(job, MRJobConfig.CACHE_ARCHIVES));
            job.set(
                    FOLDER,
                    Path.of(
                                    job.get("hadoop.tmp.dir"),
                                    COPIES
                                            + ProcessHandle.current().pid()
                                            + "-"
                                            + UUID.randomUUID())
                            .toAbsolutePath()
                            .toString());
        }
    }

    private static String[] qualified(Configuration job, String key) {
        List<String> all = new ArrayList<>();
        for (String each : job.getTrimmedStrings(key)) {
            Wanted wanted = Wanted.parse(each);
            try {
                FileSystem files = wanted.path().getFileSystem(job);
                all.add(
                        files.makeQualified(wanted.path())
                                + (wanted.isNamed() ? "#" + wanted.name() : ""));
            } catch (IOException e) {
                throw PetrichorException.invalid(
                        "the cache file {name} cannot be read: {reason}",
                        "name",
                        each,
                        "reason",
                        e.getMessage());
            }
        }
        return all.toArray(new String[0]);
    }

    /** A cached file and its link name. */
    private record Wanted(org.apache.hadoop.fs.Path path, String name, boolean isNamed) {
        static Wanted parse(String uri) {
            int hash = uri.lastIndexOf('#');
            var path = new org.apache.hadoop.fs.Path(hash < 0 ? uri : uri.substring(0, hash));
            String name = hash < 0 ? path.getName() : uri.substring(hash + 1);
            if (name.isEmpty() || name.contains("/") || name.equals("..")) {
                throw PetrichorException.invalid(
                        "the cache file {uri} cannot be linked as '{name}' in a working directory:"
                                + " use a plain file name",
                        "uri",
                        uri,
                        "name",
                        name);
            }
            return new Wanted(path, name, hash >= 0);
        }
    }

    /**
     * Makes them available to the task of this configuration.
     *
     * @param linked receives each link that was created
     */
    static void place(Configuration task, Consumer<Path> linked) throws IOException {
        if (are(task)) {
            place(task, FILES, false, MRJobConfig.CACHE_LOCALFILES, linked);
            place(task, ARCHIVES, true, MRJobConfig.CACHE_LOCALARCHIVES, linked);
        }
    }

    private static void place(
            Configuration task, String from, boolean unpacked, String to, Consumer<Path> linked)
            throws IOException {
        List<String> found = new ArrayList<>();
        for (String each : task.getTrimmedStrings(from)) {
            Wanted wanted = Wanted.parse(each);
            Path local =
                    !unpacked && wanted.path().toUri().getScheme().equals("file")
                            ? Path.of(wanted.path().toUri().getPath())
                            : copied(task, wanted, unpacked, from + "-" + found.size());
            if (!Files.exists(local)) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "the cache file {path} of the job is missing",
                        "path",
                        wanted.path());
            }
            link(wanted, local, linked);
            found.add(local.toString());
        }
        if (!found.isEmpty()) {
            task.setStrings(to, found.toArray(new String[0]));
        }
    }

    /**
     * Copies once per machine: later tasks find the copy, and of concurrent ones all but one are
     * discarded.
     */
    private static Path copied(Configuration task, Wanted wanted, boolean unpacked, String place)
            throws IOException {
        Path folder = Files.createDirectories(Path.of(task.get(FOLDER)));
        Path there = folder.resolve(place);
        Path found = there.resolve(wanted.path().getName());
        if (!Files.exists(found)) {
            Path own = Files.createTempDirectory(folder, place);
            File copy = own.resolve("copy").toFile();
            if (!FileUtil.copy(
                    wanted.path().getFileSystem(task), wanted.path(), copy, false, task)) {
                throw new IOException("the cache file " + wanted.path() + " cannot be copied");
            }
            Path ready = Files.createDirectory(own.resolve("ready"));
            File target = ready.resolve(wanted.path().getName()).toFile();
            if (unpacked) {
                unpack(copy, target);
            } else {
                Files.move(copy.toPath(), target.toPath());
            }
            try {
                Files.move(ready, there, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException other) {
                if (!Files.exists(found)) {
                    throw other;
                }
            } finally {
                FileUtil.fullyDelete(own.toFile());
            }
        }
        return found;
    }

    /** A file without a known extension is not unpacked, as in Hadoop. */
    private static void unpack(File archive, File to) throws IOException {
        String name = to.getName().toLowerCase(Locale.ROOT);
        if (name.endsWith(".zip") || name.endsWith(".jar")) {
            FileUtil.unZip(archive, to);
        } else if (name.endsWith(".tar")) {
            FileUtil.unTar(archive, to);
        } else if (name.endsWith(".tgz") || name.endsWith(".tar.gz")) {
            // Hadoop recognizes the archive format by its name.
            File named = new File(archive.getParentFile(), "copy.tgz");
            Files.move(archive.toPath(), named.toPath());
            FileUtil.unTar(named, to);
        } else {
            Files.move(archive.toPath(), to.toPath());
        }
    }

    private static void link(Wanted wanted, Path target, Consumer<Path> linked) {
        Path link = Path.of(wanted.name()).toAbsolutePath();
        try {
            if (isAbandoned(link)) {
                Files.deleteIfExists(link);
            }
            Files.createSymbolicLink(link, target);
            linked.accept(link);
        } catch (FileAlreadyExistsException there) {
            if (wanted.isNamed() && !isSame(link, target)) {
                throw notReadable(wanted, link.getParent() + " already has a file of this name");
            }
        } catch (IOException | UnsupportedOperationException refused) {
            if (wanted.isNamed()) {
                throw notReadable(wanted, "cannot create a link there: " + refused.getMessage());
            }
        }
    }

    /** Whether it belongs to a job that was killed. */
    private static boolean isAbandoned(Path link) throws IOException {
        if (!Files.isSymbolicLink(link)) {
            return false;
        }
        Matcher job = OF_A_JOB.matcher(Files.readSymbolicLink(link).toString());
        return !Files.exists(link)
                || (job.find() && ProcessHandle.of(Long.parseLong(job.group(1))).isEmpty());
    }

    private static boolean isSame(Path link, Path target) {
        try {
            return Files.isSameFile(link, target);
        } catch (IOException gone) {
            return false;
        }
    }

    private static PetrichorException notReadable(Wanted wanted, String why) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the cache file {path} must be linked as {link} in the working directory, but"
                    + " {reason}; run the job in another directory, or choose another name after #",
                "path",
                wanted.path(),
                "link",
                wanted.name(),
                "reason",
                why);
    }

    /** Removes this machine's copies when the job has ended. */
    static void remove(Configuration job) throws IOException {
        String folder = job.get(FOLDER);
        if (folder != null) {
            FileUtil.fullyDelete(new File(folder));
        }
        String uploaded = job.get(UPLOADED);
        if (uploaded != null) {
            org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(uploaded);
            path.getFileSystem(job).delete(path, true);
        }
    }
}
