package petrichor.jobs.service;

import java.time.Duration;
import petrichor.jobs.jobgraph.TaskSignature;

/** Submissions, jobs that have ended and resumable jobs, as messages. Stateless. */
final class StatusMessages {
    private StatusMessages() {}

    /** Without the job that it resumes, which a submission cannot name. */
    static Progress.Submission of(Submission submission) {
        Progress.Submission.Builder message =
                Progress.Submission.newBuilder()
                        .addAllArguments(submission.arguments())
                        .setLearned(submission.learned())
                        .setTrial(submission.trial())
                        .putAllParallelism(submission.parallelism());
        if (submission.program() != null) {
            message.setProgram(submission.program());
        }
        switch (submission.execution()) {
            case Execution.Threads(var elastic) -> message.setElastic(elastic);
            case Execution.WorkerProcesses(var count) -> message.setWorkers(count);
            case Execution.LeasedMachines(var terms) -> message.setCloud(CloudMessages.of(terms));
            case Execution.OtherRuntime(var address) -> message.setBackend(address);
        }
        return message.build();
    }

    static Submission submission(Progress.Submission message) {
        return new Submission(
                message.hasProgram() ? message.getProgram() : null,
                message.getArgumentsList(),
                Execution.of(
                        message.getWorkers(),
                        message.getBackend(),
                        message.getElastic(),
                        message.hasCloud() ? CloudMessages.terms(message.getCloud()) : null),
                message.getLearned(),
                message.getTrial(),
                message.getParallelismMap(),
                null);
    }

    static Progress.EndedJob of(JobRecord job) {
        Progress.EndedJob.Builder message =
                Progress.EndedJob.newBuilder()
                        .setId(job.id())
                        .setName(job.name())
                        .setState(ProgressMessages.of(job.state()))
                        .setStarted(ProgressMessages.of(job.started()))
                        .setElapsedMillis(job.elapsed().toMillis())
                        .putAllCounters(ProgressMessages.of(job.counters()));
        if (job.failure() != null) {
            message.setFailure(job.failure());
        }
        if (job.resumes() != null) {
            message.setResumes(job.resumes());
        }
        if (job.cost() != null) {
            message.setCost(CloudMessages.of(job.cost()));
        }
        job.tasks().forEach(task -> message.addTasks(of(task)));
        job.attempts().forEach(stage -> message.addAttempts(ProgressMessages.of(stage)));
        return message.build();
    }

    static JobRecord record(Progress.EndedJob message) {
        return new JobRecord(
                message.getId(),
                message.getName(),
                ProgressMessages.state(message.getState()),
                ProgressMessages.instant(message.getStarted()),
                Duration.ofMillis(message.getElapsedMillis()),
                message.hasFailure() ? message.getFailure() : null,
                message.getTasksList().stream().map(StatusMessages::task).toList(),
                message.hasCost() ? CloudMessages.cost(message.getCost()) : null,
                ProgressMessages.counters(message.getCountersMap()),
                message.hasResumes() ? message.getResumes() : null,
                message.getAttemptsList().stream().map(ProgressMessages::restarted).toList());
    }

    private static Progress.EndedTask of(TaskRecord task) {
        Progress.EndedTask.Builder message =
                Progress.EndedTask.newBuilder()
                        .setName(task.name())
                        .setSignature(task.signature().digits())
                        .setParallelism(task.parallelism())
                        .setRecordsIn(task.recordsIn())
                        .setRecordsOut(task.recordsOut())
                        .setProcessingMillis(task.processing().toMillis())
                        .setWaitingMillis(task.waiting().toMillis());
        TaskLesson lesson = task.lesson();
        if (lesson.parallelism() > 0) {
            message.getLessonBuilder()
                    .setBottleneck(lesson.finding())
                    .setParallelism(lesson.parallelism())
                    .setReason(lesson.reason())
                    .addAllContracts(lesson.contracts());
        }
        task.scalings().forEach(scaling -> message.addScalings(ProgressMessages.of(scaling)));
        return message.build();
    }

    private static TaskRecord task(Progress.EndedTask message) {
        Progress.Lesson lesson = message.getLesson();
        return new TaskRecord(
                message.getName(),
                new TaskSignature(message.getSignature()),
                message.getParallelism(),
                message.getRecordsIn(),
                message.getRecordsOut(),
                Duration.ofMillis(message.getProcessingMillis()),
                Duration.ofMillis(message.getWaitingMillis()),
                new TaskLesson(
                        lesson.getBottleneck(),
                        lesson.getParallelism(),
                        lesson.getReason(),
                        lesson.getContractsList()),
                message.getScalingsList().stream()
                        .map(scaling -> ProgressMessages.scaling(scaling, 0))
                        .toList());
    }
}
