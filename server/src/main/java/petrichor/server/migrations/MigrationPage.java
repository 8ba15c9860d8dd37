package petrichor.server.migrations;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ActionRequest;
import petrichor.frontends.http.Page;
import petrichor.transactions.migration.Migration;
import petrichor.transactions.migration.MigrationPhase;
import petrichor.transactions.migration.MigrationPlan;
import petrichor.transactions.migration.MigrationStatus;
import petrichor.transactions.migration.Switched;

/**
 * Moves databases between stores, for {@code petrichor migrate}: {@code POST
 * /petrichor/v1/migration} takes
 *
 * <pre>
 *   {"action": "plan" | "start" | "status" | "pause" | "resume" | "switch" | "reverse" |
 *              "complete" | "cancel",
 *    "project": P, "database": D, "to": the store, for plan and start}
 * </pre>
 *
 * and answers with the plan, the switch or the status. The caller needs the role admin for the
 * database. Thread-safe.
 */
public final class MigrationPage {
    private static final String PATH = "/petrichor/v1/migration";
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Function<String, Migration> migrations;

    /**
     * @param migrations by the name of a database; fails if the database does not exist, or cannot
     *     be moved by this server
     */
    public MigrationPage(Function<String, Migration> migrations) {
        this.migrations = migrations;
    }

    public Page page() {
        return new Page(
                "POST",
                PATH,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request -> ActionRequest.answer(request, this::performed));
    }

    private JsonObject performed(ActionRequest asked) {
        String project = asked.text("project");
        String database = asked.text("database");
        asked.caller().require(Role.ADMIN, project, database);
        String name = EntityDatabases.name(project, database);
        return performed(migrations.apply(name), name, asked);
    }

    private static JsonObject performed(Migration migration, String database, ActionRequest asked) {
        String action = asked.action();
        switch (action) {
            case "plan" -> {
                return json(migration.plan(asked.text("to")));
            }
            case "start" -> migration.start(asked.text("to"));
            case "status" -> {}
            case "pause" -> migration.pause(true);
            case "resume" -> migration.pause(false);
            case "switch" -> {
                require(migration, database, MigrationPhase.READY);
                return json(migration.switchStores());
            }
            case "reverse" -> {
                require(migration, database, MigrationPhase.REVERSIBLE);
                return json(migration.switchStores());
            }
            case "complete" -> {
                require(migration, database, MigrationPhase.REVERSIBLE);
                migration.end();
            }
            case "cancel" -> {
                refuseSwitched(migration, database);
                migration.end();
            }
            default ->
                    throw PetrichorException.invalid(
                            "A migration has no action \"{action}\".", "action", action);
        }
        return migration.status().map(MigrationPage::json).orElseGet(JsonObject::new);
    }

    private static void require(Migration migration, String database, MigrationPhase wanted) {
        MigrationPhase phase = migration.status().map(MigrationStatus::phase).orElse(wanted);
        if (phase != wanted) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The migration of {database} is in the phase {phase}; this needs the phase"
                            + " {wanted}.",
                    "database",
                    database,
                    "phase",
                    phase,
                    "wanted",
                    wanted);
        }
    }

    private static void refuseSwitched(Migration migration, String database) {
        if (migration.status().map(MigrationStatus::phase).orElse(MigrationPhase.COPY)
                == MigrationPhase.REVERSIBLE) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} was switched already: `petrichor migrate reverse`"
                            + " switches it back, and `petrichor migrate complete` ends the"
                            + " migration.",
                    "database",
                    database);
        }
    }

    private static JsonObject json(MigrationPlan plan) {
        JsonObject json = new JsonObject();
        json.addProperty("from", plan.from());
        json.addProperty("to", plan.to());
        json.addProperty("rows", plan.rows());
        json.addProperty("bytes", plan.bytes());
        json.addProperty("complete", plan.complete());
        json.add("problems", array(plan.problems()));
        return json;
    }

    private static JsonObject json(Switched switched) {
        JsonObject json = new JsonObject();
        json.addProperty("store", switched.store());
        json.addProperty("version", String.valueOf(switched.version()));
        json.addProperty("pauseMs", switched.pauseNanos() / NANOS_PER_MILLI);
        return json;
    }

    private static JsonObject json(MigrationStatus status) {
        JsonObject json = new JsonObject();
        json.addProperty("from", status.from());
        json.addProperty("to", status.to());
        json.addProperty("phase", status.phase().name());
        json.addProperty("paused", status.paused());
        json.addProperty("started", time(status.startedAt()));
        json.addProperty("lagSeconds", status.lagMicros() / MICROS_PER_SECOND);
        json.addProperty("rows", status.copied().rows());
        json.addProperty("bytes", status.copied().bytes());
        json.addProperty("fraction", status.copied().fraction());
        json.addProperty("rowsPerSecond", Math.round(status.copied().rowsPerSecond()));
        if (status.copied().secondsLeft() >= 0) {
            json.addProperty("secondsLeft", status.copied().secondsLeft());
        }
        if (status.compared().version() > 0) {
            json.addProperty("comparedAt", time(status.compared().version()));
            json.addProperty("comparedRows", status.compared().rows());
            json.addProperty("mismatches", status.compared().mismatches());
            json.add("mismatching", array(status.compared().examples()));
        }
        status.problem().ifPresent(problem -> json.addProperty("problem", problem));
        return json;
    }

    private static JsonArray array(Iterable<String> texts) {
        JsonArray array = new JsonArray();
        StreamSupport.stream(texts.spliterator(), false).forEach(array::add);
        return array;
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
