package petrichor.server.backups;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.ActionRequest;
import petrichor.frontends.http.Page;
import petrichor.transactions.Databases;

/**
 * Backups of a server: the rows that clients read, and schedules. {@code GET
 * /petrichor/v1/backup-schedules} lists these with their state; {@code POST} takes {@code
 * {"action": "set", …}} with the fields of a schedule, or {@code {"action": "remove", "name":
 * "nightly"}}. Callers need the role admin for all projects. Thread-safe.
 */
public final class BackupService implements AutoCloseable {
    private static final String PATH = "/petrichor/v1/backup-schedules";
    private static final String FOLDER_KEY = "store.export-folder";

    private final RowsPage rows;
    private final BackupSchedules schedules;
    private final Optional<Path> folder;

    /**
     * @param exists whether there is a database
     * @param databases of the store, whichever server owns them
     * @param folder in which schedules may write; others are refused
     */
    public BackupService(
            RowsService rows,
            Predicate<String> exists,
            Supplier<Databases> databases,
            Optional<Path> folder) {
        this.rows = new RowsPage(rows, exists);
        this.schedules = new BackupSchedules(databases, rows);
        this.folder = folder.map(path -> path.toAbsolutePath().normalize());
    }

    public List<Page> pages() {
        return List.of(
                rows.page(),
                new Page("GET", PATH, Page.Access.ADMIN, _ -> Page.Answer.json(200, list() + "\n")),
                new Page(
                        "POST",
                        PATH,
                        Page.Access.ADMIN,
                        request -> ActionRequest.answer(request, this::change)));
    }

    /** Runs schedules from now on. */
    public void start() {
        schedules.start();
    }

    public MetricSnapshots metrics() {
        return schedules.metrics();
    }

    private JsonObject list() {
        JsonArray shown = new JsonArray();
        Instant now = Instant.now();
        schedules.list().forEach(state -> shown.add(state.shown(now)));
        JsonObject json = new JsonObject();
        json.add("schedules", shown);
        return json;
    }

    private JsonObject change(ActionRequest asked) {
        switch (asked.action()) {
            case "set" -> {
                BackupSchedule schedule = BackupSchedule.decode(asked.body());
                requireAllowed(schedule.source());
                schedules.set(schedule);
            }
            case "remove" -> schedules.remove(asked.text("name"));
            default -> throw PetrichorException.invalid("the action is set or remove");
        }
        return list();
    }

    /** Clients must not make the server write anywhere. */
    private void requireAllowed(BackupSchedule.Source source) {
        if (BackupTargets.isBucket(source.place())) {
            BackupTargets.close(BackupTargets.open(source.place()));
            return;
        }
        Path place = Path.of(source.place()).normalize();
        if (folder.isEmpty() || !place.startsWith(folder.get())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The server may not write backups to {place}: its folder for them is {folder};"
                            + " set {key} and restart it.",
                    "place",
                    place,
                    "folder",
                    folder.map(Path::toString).orElse("not set"),
                    "key",
                    FOLDER_KEY);
        }
    }

    @Override
    public void close() {
        schedules.close();
    }
}
