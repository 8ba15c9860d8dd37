package petrichor.server.backups;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A schedule as it is stored, with what became of its runs.
 *
 * @param set when the schedule was set
 * @param started the last run
 * @param last the outcome of the last run that ended
 * @param claim the server that runs it
 */
record ScheduleState(
        BackupSchedule schedule,
        Instant set,
        Optional<Instant> started,
        Outcome last,
        Optional<Claim> claim) {
    /** How long a run may be without a sign of life before another server starts one. */
    static final Duration CLAIM = Duration.ofMinutes(2);

    /** After a failure, unless the schedule is due earlier. */
    private static final Duration RETRY = Duration.ofMinutes(5);

    /**
     * Of runs.
     *
     * @param succeeded the start of the last run that succeeded
     * @param took the last run that succeeded
     * @param error of the last run; empty if it succeeded
     */
    record Outcome(Optional<Instant> succeeded, Duration took, String error) {
        static final Outcome NONE = new Outcome(Optional.empty(), Duration.ZERO, "");
    }

    /** A server's right to run the schedule, until a time. */
    record Claim(String server, Instant until) {}

    static ScheduleState of(BackupSchedule schedule, Instant now) {
        return new ScheduleState(schedule, now, Optional.empty(), Outcome.NONE, Optional.empty());
    }

    /** The same runs, with another definition. */
    ScheduleState with(BackupSchedule changed, Instant now) {
        return new ScheduleState(changed, now, Optional.empty(), last, claim);
    }

    Instant next() {
        if (started.isEmpty()) {
            return set;
        }
        Instant planned = schedule.timing().next(started.get());
        Instant retry = started.get().plus(RETRY);
        return last.error().isEmpty() || planned.isBefore(retry) ? planned : retry;
    }

    boolean runningAt(Instant now) {
        return claim.isPresent() && now.isBefore(claim.get().until());
    }

    boolean dueAt(Instant now) {
        // A claim that was not given back belongs to a server that ended.
        return !runningAt(now) && (claim.isPresent() || !now.isBefore(next()));
    }

    ScheduleState claimed(String server, Instant now) {
        return new ScheduleState(
                schedule,
                set,
                Optional.of(now),
                last,
                Optional.of(new Claim(server, now.plus(CLAIM))));
    }

    boolean claimedBy(String server) {
        return claim.isPresent() && claim.get().server().equals(server);
    }

    ScheduleState extended(Instant now) {
        Claim held = claim.orElseThrow();
        return new ScheduleState(
                schedule,
                set,
                started,
                last,
                Optional.of(new Claim(held.server(), now.plus(CLAIM))));
    }

    ScheduleState ended(Outcome outcome) {
        return new ScheduleState(schedule, set, started, outcome, Optional.empty());
    }

    /** Seconds since the start of the last good backup, or since the schedule was set. */
    long ageSeconds(Instant now) {
        return Math.max(0, Duration.between(last.succeeded().orElse(set), now).toSeconds());
    }

    JsonObject shown(Instant now) {
        JsonObject json = schedule.encoded();
        json.addProperty("ageSeconds", ageSeconds(now));
        last.succeeded().ifPresent(time -> json.addProperty("lastGood", time.toString()));
        json.addProperty("lastMilliseconds", last.took().toMillis());
        json.addProperty("lastError", last.error());
        json.addProperty("next", next().toString());
        json.addProperty("running", runningAt(now));
        return json;
    }

    byte[] encoded() {
        JsonObject json = new JsonObject();
        json.add("schedule", schedule.encoded());
        json.addProperty("set", set.toString());
        started.ifPresent(time -> json.addProperty("started", time.toString()));
        last.succeeded().ifPresent(time -> json.addProperty("succeeded", time.toString()));
        json.addProperty("tookMilliseconds", last.took().toMillis());
        json.addProperty("error", last.error());
        claim.ifPresent(
                held -> {
                    json.addProperty("server", held.server());
                    json.addProperty("until", held.until().toString());
                });
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    static ScheduleState decode(byte[] bytes) {
        JsonObject json =
                JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8)).getAsJsonObject();
        return new ScheduleState(
                BackupSchedule.decode(json.getAsJsonObject("schedule")),
                Instant.parse(json.get("set").getAsString()),
                time(json, "started"),
                new Outcome(
                        time(json, "succeeded"),
                        Duration.ofMillis(json.get("tookMilliseconds").getAsLong()),
                        json.get("error").getAsString()),
                time(json, "until")
                        .map(until -> new Claim(json.get("server").getAsString(), until)));
    }

    private static Optional<Instant> time(JsonObject json, String field) {
        return Optional.ofNullable(json.get(field))
                .map(JsonElement::getAsString)
                .map(Instant::parse);
    }
}
