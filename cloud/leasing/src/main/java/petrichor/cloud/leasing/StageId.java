package petrichor.cloud.leasing;

/** The id of a stage of a job; unchanged by a restart. */
public record StageId(String job, int number) {
    public StageId {
        if (!job.matches("[A-Za-z0-9._-]{1,60}") || number < 0) {
            throw new IllegalArgumentException("invalid stage: '" + job + "', " + number);
        }
    }

    static StageId parse(String text) {
        int slash = text.lastIndexOf('/');
        return new StageId(text.substring(0, slash), Integer.parseInt(text.substring(slash + 1)));
    }

    @Override
    public String toString() {
        return job + "/" + number;
    }
}
