import org.apache.spark.sql.api.java.UDF1;

/** The key of a line, read as a number of base 95: for Spark, as {@code FlinkJobs.KeyNumber} is for Flink. */
public final class SparkKeyNumber implements UDF1<String, Double> {
    private static final long serialVersionUID = 1L;
    private static final int KEY_LENGTH = 10;

    @Override
    public Double call(String line) {
        double number = 0;
        for (int i = 0; i < KEY_LENGTH; i++) {
            number = number * 95 + (line.charAt(i) - ' ');
        }
        return number;
    }
}
