package petrichor.movement.backups;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;

/**
 * The sets of one database in a backup target:
 *
 * <pre>
 *   PROJECT/DATABASE/HEAD                    the first and the last set
 *   PROJECT/DATABASE/VERSION/manifest.json   and the segments that it names
 * </pre>
 *
 * A manifest is followed by a line with its SHA-256, or with a key by its HMAC. HEAD makes missing
 * sets at both ends of the chain visible. Only one process at a time may write. Confined to one
 * thread.
 */
public final class BackupSets {
    private static final String DEFAULT_DATABASE = "(default)";
    private static final String MANIFEST = "/manifest.json";
    private static final int MANIFEST_BYTES_MAX = 64 << 20;

    private final BackupTarget target;
    private final DatabaseName database;
    private final @Nullable BackupKey key;

    public BackupSets(BackupTarget target, DatabaseName database, @Nullable BackupKey key) {
        this.target = target;
        this.database = database;
        this.key = key;
    }

    /**
     * What a target contains.
     *
     * @param sets complete ones, by version
     * @param problems why they are damaged; empty if they are not
     * @param incomplete folders of backups that did not end
     */
    public record Found(List<BackupSet> sets, List<String> problems, List<String> incomplete) {
        public Found {
            sets = List.copyOf(sets);
            problems = List.copyOf(problems);
            incomplete = List.copyOf(incomplete);
        }

        /** FAILED_PRECONDITION if anything is damaged or missing. */
        public void requireSound() {
            if (!problems.isEmpty()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The backup is damaged: {problem}. `petrichor backup verify` lists all"
                                + " problems.",
                        "problem",
                        problems.getFirst());
            }
        }

        /** The newest set; empty if there is none. */
        public Optional<BackupSet> last() {
            return sets.isEmpty() ? Optional.empty() : Optional.of(sets.getLast());
        }
    }

    /** The databases that have sets or parts of sets in a target. */
    public static List<DatabaseName> databases(BackupTarget target) {
        TreeSet<String> folders = new TreeSet<>();
        for (String name : target.list("")) {
            String[] parts = name.split("/", -1);
            if (parts.length >= 3) {
                folders.add(parts[0] + "/" + parts[1]);
            }
        }
        return folders.stream()
                .map(
                        folder -> {
                            String[] parts = folder.split("/", -1);
                            return new DatabaseName(
                                    parts[0], parts[1].equals(DEFAULT_DATABASE) ? "" : parts[1]);
                        })
                .toList();
    }

    public DatabaseName database() {
        return database;
    }

    BackupTarget target() {
        return target;
    }

    @Nullable BackupKey key() {
        return key;
    }

    String folder() {
        String id = database.database();
        return database.project() + "/" + (id.isEmpty() ? DEFAULT_DATABASE : id);
    }

    String folder(long version) {
        return folder() + "/" + version;
    }

    private String head() {
        return folder() + "/HEAD";
    }

    /** Reads all manifests and verifies their hashes and their chain, but not their segments. */
    public Found find() {
        List<String> names = target.list(folder());
        List<BackupSet> sets = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        TreeSet<String> folders = new TreeSet<>();
        for (String name : names) {
            String[] parts = name.substring(folder().length() + 1).split("/", -1);
            if (parts.length == 2 && parts[0].matches("\\d{1,18}")) {
                folders.add(folder() + "/" + parts[0]);
            }
        }
        List<String> incomplete = new ArrayList<>();
        for (String folder : folders) {
            if (!names.contains(folder + MANIFEST)) {
                incomplete.add(folder);
                continue;
            }
            try {
                sets.add(readSet(folder));
            } catch (PetrichorException damaged) {
                problems.add(
                        Objects.requireNonNullElse(damaged.getMessage(), folder + " is damaged"));
            }
        }
        sets.sort(Comparator.comparingLong(BackupSet::version));
        checkChain(sets, problems);
        checkHead(names, sets, problems);
        return new Found(sets, problems, incomplete);
    }

    private BackupSet readSet(String folder) {
        Sealed sealed = readSealed(folder + MANIFEST);
        Manifest manifest;
        try {
            manifest = Manifest.decode(sealed.text());
        } catch (PetrichorException unknown) {
            throw unknown;
        } catch (RuntimeException malformed) {
            throw damaged(folder + MANIFEST, "it is malformed");
        }
        String hash = hash(sealed.text());
        requireSeal(folder, manifest, sealed, hash);
        if (!manifest.database().equals(database) || !folder.endsWith("/" + manifest.version())) {
            throw damaged(folder + MANIFEST, "it belongs to another set");
        }
        return new BackupSet(manifest, hash);
    }

    /** A text, and the line after it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sealed(byte[] text, String seal) {}

    private Sealed readSealed(String name) {
        byte[] whole = read(name);
        int end = whole.length - 1;
        if (end < 0 || whole[end] != '\n') {
            throw damaged(name, "it is truncated");
        }
        while (end > 0 && whole[end - 1] != '\n') {
            end--;
        }
        if (end == 0) {
            throw damaged(name, "it is truncated");
        }
        String seal = new String(whole, end, whole.length - end - 1, StandardCharsets.US_ASCII);
        return new Sealed(Arrays.copyOf(whole, end - 1), seal);
    }

    private void requireSeal(String folder, Manifest manifest, Sealed sealed, String hash) {
        String seal = sealed.seal();
        boolean signed = seal.startsWith("hmac-sha256:");
        if (signed != manifest.keyId().isPresent()) {
            throw damaged(folder + MANIFEST, "its checksum has the wrong type");
        }
        if (!signed) {
            if (!seal.equals("sha256:" + hash)) {
                throw damaged(folder + MANIFEST, "its checksum differs");
            }
        } else if (key == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The backup is encrypted; name its key with --key-file.");
        } else if (!key.id().equals(manifest.keyId().orElse(""))) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The backup {folder} is encrypted with the key {keyOfBackup}; the given key is"
                            + " {keyGiven}.",
                    "folder",
                    folder,
                    "keyOfBackup",
                    manifest.keyId().orElse(""),
                    "keyGiven",
                    key.id());
        } else if (!seal.equals(seal(key, sealed.text(), hash))) {
            throw damaged(folder + MANIFEST, "its checksum differs");
        }
    }

    private static String seal(@Nullable BackupKey key, byte[] text, String hash) {
        return key == null
                ? "sha256:" + hash
                : "hmac-sha256:" + HexFormat.of().formatHex(key.sign(text));
    }

    private static String hash(byte[] text) {
        return HexFormat.of().formatHex(SegmentFormat.sha256().digest(text));
    }

    private static void checkChain(List<BackupSet> sets, List<String> problems) {
        for (int i = 0; i < sets.size(); i++) {
            Manifest manifest = sets.get(i).manifest();
            Optional<Manifest.Link> before = manifest.previous();
            if (i > 0 && before.isPresent() && !before.get().equals(sets.get(i - 1).link())) {
                problems.add(
                        "the set "
                                + before.get().version()
                                + ", which "
                                + manifest.version()
                                + " continues, is missing or was replaced");
            }
            if (before.isEmpty() && !manifest.full()) {
                problems.add("the set " + manifest.version() + " continues no other set");
            }
        }
    }

    private void checkHead(List<String> names, List<BackupSet> sets, List<String> problems) {
        if (!names.contains(head())) {
            if (!sets.isEmpty()) {
                problems.add(head() + " is missing");
            }
            return;
        }
        try {
            Sealed sealed = readSealed(head());
            if (!sealed.seal().equals(seal(null, sealed.text(), hash(sealed.text())))) {
                throw damaged(head(), "its checksum differs");
            }
            JsonObject head =
                    JsonParser.parseString(new String(sealed.text(), StandardCharsets.UTF_8))
                            .getAsJsonObject();
            long first = head.get("first").getAsLong();
            Manifest.Link last =
                    new Manifest.Link(head.get("last").getAsLong(), head.get("hash").getAsString());
            if (sets.isEmpty() || sets.getFirst().version() > first) {
                problems.add("the first set, " + first + ", is missing");
            }
            if (sets.stream().noneMatch(set -> set.link().equals(last))) {
                problems.add("the last set, " + last.version() + ", is missing or was replaced");
            }
        } catch (RuntimeException malformed) {
            problems.add(head() + " is damaged");
        }
    }

    private byte[] read(String name) {
        try (InputStream in = target.read(name)) {
            byte[] bytes = in.readNBytes(MANIFEST_BYTES_MAX + 1);
            if (bytes.length > MANIFEST_BYTES_MAX) {
                throw damaged(name, "it is too long");
            }
            return bytes;
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + name, failed);
        }
    }

    private static PetrichorException damaged(String name, String how) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION, "{file}: {reason}", "file", name, "reason", how);
    }

    /** Completes a set whose segments are written. */
    BackupSet add(Manifest manifest, List<BackupSet> former) {
        byte[] text = manifest.encode();
        String hash = hash(text);
        write(folder(manifest.version()) + MANIFEST, sealed(text, seal(key, text, hash)));
        BackupSet set = new BackupSet(manifest, hash);
        writeHead(former.isEmpty() ? set : former.getFirst(), set);
        return set;
    }

    private static byte[] sealed(byte[] text, String seal) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(text);
        whole.writeBytes(("\n" + seal + "\n").getBytes(StandardCharsets.US_ASCII));
        return whole.toByteArray();
    }

    private void writeHead(BackupSet first, BackupSet last) {
        JsonObject head = new JsonObject();
        head.addProperty("first", first.version());
        head.addProperty("last", last.version());
        head.addProperty("hash", last.hash());
        byte[] text = head.toString().getBytes(StandardCharsets.UTF_8);
        write(head(), sealed(text, seal(null, text, hash(text))));
    }

    private void write(String name, byte[] bytes) {
        try (BackupTarget.Upload upload = target.write(name)) {
            upload.stream().write(bytes);
            upload.complete();
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + name, failed);
        }
    }

    /**
     * Deletes the sets before one, and incomplete ones. A later set is full, so that every restore
     * to a later version remains possible.
     *
     * @return the number of deleted folders
     */
    public int deleteBefore(Found found, BackupSet kept) {
        if (!kept.manifest().full()) {
            throw new IllegalArgumentException("the first set must be full");
        }
        writeHead(kept, found.sets().getLast());
        List<String> folders = new ArrayList<>(found.incomplete());
        for (BackupSet set : found.sets()) {
            if (set.version() < kept.version()) {
                folders.add(folder(set.version()));
            }
        }
        for (String folder : folders) {
            // Without its manifest a set is incomplete; a later run deletes the rest.
            target.delete(folder + MANIFEST);
            target.list(folder).forEach(target::delete);
        }
        return folders.size();
    }
}
