/**
 * How long a spot machine lives, and what its end costs: the model of chapter 7 of the AppScale
 * thesis ({@link petrichor.cloud.spot.PriceChain}, {@link petrichor.cloud.spot.TerminationCost}),
 * what the prices of the past say without a model ({@link petrichor.cloud.spot.Survival}), and how
 * both did on prices that they had not seen ({@link petrichor.cloud.spot.Backtest}).
 *
 * <p>The thesis' equation 7.3 for the expected lifetime, the sum of n times the probability to be
 * alive after n hours, is no expectation: it grows with the square of the longest time that is
 * looked at. What it was meant to be is the sum of those probabilities, and that is what is
 * computed here; the old one is there to be compared.
 */
@NullMarked
package petrichor.cloud.spot;

import org.jspecify.annotations.NullMarked;
