package petrichor.server.backups;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.queues.cron.Schedule;

/**
 * Backups that the server makes by itself.
 *
 * @param name lower-case letters, digits and hyphens; also of the consumer of the change feed
 */
record BackupSchedule(String name, Source source, Timing timing, Retention retention) {
    private static final int DAYS_MAX = 3_650;

    /**
     * What is backed up, and where to.
     *
     * @param databases {@code PROJECT} or {@code PROJECT/DATABASE}; empty for all databases
     * @param place see {@link BackupTargets#open}
     * @param keyFile of the server, with which backups are encrypted
     */
    record Source(List<String> databases, String place, Optional<Path> keyFile) {
        Source {
            databases = List.copyOf(databases);
            if (!BackupTargets.isBucket(place) && !Path.of(place).isAbsolute()) {
                throw PetrichorException.invalid(
                        "The folder {place} is relative; name it as the server sees it, from the"
                                + " root.",
                        "place",
                        place);
            }
        }
    }

    /**
     * When.
     *
     * @param every App Engine's schedule language in UTC, see {@link Schedule}
     * @param fullDays days after which a backup is full again
     * @param drill whether each full backup is restored into a scratch database and compared
     */
    record Timing(String every, int fullDays, boolean drill) {
        Timing {
            var _ = Schedule.parse(every, ZoneOffset.UTC);
            requireDays("fullDays", fullDays);
        }

        /** The first run after a time. */
        Instant next(Instant after) {
            return Schedule.parse(every, ZoneOffset.UTC).next(after);
        }

        Duration full() {
            return Duration.ofDays(fullDays);
        }
    }

    /**
     * What is not deleted: a full backup with the log after it, if it is among the newest or is
     * needed for one of the last days.
     */
    record Retention(int keepFull, int keepDays) {
        Retention {
            if (keepFull < 1) {
                throw PetrichorException.invalid("keepFull must be at least 1.");
            }
            requireDays("keepDays", keepDays);
        }
    }

    BackupSchedule {
        if (!name.matches("[a-z][a-z0-9-]{0,30}")) {
            throw PetrichorException.invalid(
                    "\"{name}\" is no name of a schedule; use up to 31 lower-case letters, digits"
                            + " and hyphens.",
                    "name",
                    name);
        }
    }

    private static void requireDays(String field, int days) {
        if (days < 0 || days > DAYS_MAX) {
            throw PetrichorException.invalid(
                    "{field} must be a number of days from 0 to {daysMax}.",
                    "field",
                    field,
                    "daysMax",
                    DAYS_MAX);
        }
    }

    JsonObject encoded() {
        JsonObject json = new JsonObject();
        json.addProperty("name", name);
        JsonArray databases = new JsonArray();
        source.databases().forEach(databases::add);
        json.add("databases", databases);
        json.addProperty("place", source.place());
        source.keyFile().ifPresent(file -> json.addProperty("keyFile", file.toString()));
        json.addProperty("every", timing.every());
        json.addProperty("fullDays", timing.fullDays());
        json.addProperty("drill", timing.drill());
        json.addProperty("keepFull", retention.keepFull());
        json.addProperty("keepDays", retention.keepDays());
        return json;
    }

    /** INVALID_ARGUMENT if a field is missing or invalid. */
    static BackupSchedule decode(JsonObject json) {
        try {
            List<String> databases = new ArrayList<>();
            for (JsonElement database : json.getAsJsonArray("databases")) {
                databases.add(database.getAsString());
            }
            @Nullable JsonElement key = json.get("keyFile");
            return new BackupSchedule(
                    json.get("name").getAsString(),
                    new Source(
                            databases,
                            json.get("place").getAsString(),
                            Optional.ofNullable(key).map(file -> Path.of(file.getAsString()))),
                    new Timing(
                            json.get("every").getAsString(),
                            json.get("fullDays").getAsInt(),
                            json.get("drill").getAsBoolean()),
                    new Retention(
                            json.get("keepFull").getAsInt(), json.get("keepDays").getAsInt()));
        } catch (PetrichorException invalid) {
            throw invalid;
        } catch (RuntimeException malformed) {
            throw PetrichorException.invalid(
                    "A schedule has the fields name, databases, place, every, fullDays, drill,"
                            + " keepFull, keepDays, and keyFile for encrypted backups.");
        }
    }
}
