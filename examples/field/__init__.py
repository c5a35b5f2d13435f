"""The contracts that judge the replies of the field report, one for each way in which the tasks were told."""
