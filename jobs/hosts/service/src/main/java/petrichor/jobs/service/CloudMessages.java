package petrichor.jobs.service;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import petrichor.base.PetrichorException;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.StageCut;

/** The terms by which a job leases machines, and what they cost, as messages. Stateless. */
final class CloudMessages {
    private static final String LOCAL = "local";

    private CloudMessages() {}

    static Progress.Cloud of(LeaseTerms terms) {
        return Progress.Cloud.newBuilder()
                .setName(LOCAL)
                .addAllTypes(terms.types())
                .setMachines(terms.machinesMax())
                .setStages(displayName(terms.cut()))
                .setBilling(displayName(terms.billing()))
                .setWaitSeconds(terms.waitMax().toSeconds())
                .build();
    }

    /** Absent fields are as {@link LeaseTerms#STANDARD} has them; an unknown word is refused. */
    static LeaseTerms terms(Progress.Cloud message) {
        LeaseTerms standard = LeaseTerms.STANDARD;
        if (message.hasName() && !message.getName().equals(LOCAL)) {
            throw PetrichorException.invalid(
                    "there is no cloud '{name}'; available: local", "name", message.getName());
        }
        return new LeaseTerms(
                message.getTypesCount() == 0 ? standard.types() : message.getTypesList(),
                message.hasMachines() ? message.getMachines() : standard.machinesMax(),
                message.hasStages() ? cut(message.getStages()) : standard.cut(),
                message.hasBilling()
                        ? constant("billing", message.getBilling(), LeaseTerms.Unit.values())
                        : standard.billing(),
                message.hasWaitSeconds()
                        ? Duration.ofSeconds(message.getWaitSeconds())
                        : standard.waitMax());
    }

    private static StageCut cut(String word) {
        return word.equals(StageCut.FORMER_BLOCKING)
                ? StageCut.BLOCKING
                : constant("stages", word, StageCut.values());
    }

    private static String displayName(Enum<?> of) {
        return of.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> E constant(String name, String word, E[] known) {
        for (E each : known) {
            if (displayName(each).equals(word)) {
                return each;
            }
        }
        List<String> words = Arrays.stream(known).map(CloudMessages::displayName).toList();
        throw PetrichorException.invalid(
                "cloud.{name} must be one of {allowed}, not \"{value}\"",
                "name",
                name,
                "allowed",
                String.join(", ", words),
                "value",
                word);
    }

    static Progress.Cost of(JobCost cost) {
        Progress.Cost.Builder message =
                Progress.Cost.newBuilder()
                        .setJob(cost.job())
                        .setPaidMicros(cost.paidMicros())
                        .setFixedClusterMicros(cost.fixedClusterMicros())
                        .setElapsedMillis(cost.elapsed().toMillis())
                        .setUsedMillis(cost.used().toMillis())
                        .setIdleMillis(cost.idle().toMillis());
        for (JobCost.Stage stage : cost.stages()) {
            message.addStagesBuilder()
                    .setStage(stage.number() + 1)
                    .putAllMachines(stage.machines())
                    .setUsedMillis(stage.used().toMillis())
                    .setPaidMicros(stage.paidMicros());
        }
        return message.build();
    }

    static JobCost cost(Progress.Cost message) {
        return new JobCost(
                message.getJob(),
                Duration.ofMillis(message.getElapsedMillis()),
                message.getPaidMicros(),
                message.getFixedClusterMicros(),
                Duration.ofMillis(message.getUsedMillis()),
                Duration.ofMillis(message.getIdleMillis()),
                message.getStagesList().stream().map(CloudMessages::stage).toList());
    }

    private static JobCost.Stage stage(Progress.Cost.Stage message) {
        return new JobCost.Stage(
                message.getStage() - 1,
                message.getMachinesMap(),
                Duration.ofMillis(message.getUsedMillis()),
                message.getPaidMicros());
    }
}
